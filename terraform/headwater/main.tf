# Headwater by Terraform: the template and the assets of a release, `headwater-VERSION-template.zip`, unpacked.
#
#   module "headwater" {
#     source      = "./terraform/headwater"
#     release     = "./headwater-0.1.0-template"   # unzip headwater-0.1.0-template.zip -d headwater-0.1.0-template
#     alarm_email = "ops@example.org"
#   }
#
# CloudFormation makes the stack, as `headwater deploy --template` does: docs/deploy.md describes both.

terraform {
  required_version = ">= 1.5"
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 5.0"
    }
  }
}

variable "release" {
  type        = string
  description = "The folder with the unpacked zip of the release."
}

variable "assets_bucket" {
  type        = string
  default     = null
  description = "A bucket of the same region for the assets; null to make one."
}

variable "auth" {
  type        = string
  default     = "iam"
  description = "iam: callers of the HTTP API sign their requests; token: a second URL takes bearer tokens, too."
  validation {
    condition     = contains(["iam", "token"], var.auth)
    error_message = "The value must be iam or token."
  }
}

variable "retention" {
  type        = string
  default     = "retain"
  description = "retain or destroy: what becomes of tables, buckets, queues and logs when the stack is deleted."
  validation {
    condition     = contains(["retain", "destroy"], var.retention)
    error_message = "The value must be retain or destroy."
  }
}

variable "stage" {
  type        = string
  default     = "prod"
  description = "The name of the deployment; a stack of another stage lives beside it."
}

variable "alarm_email" {
  type        = string
  default     = ""
  description = "The address that every alarm is mailed to; empty for none."
}

variable "strict_namespaces" {
  type        = bool
  default     = false
  description = "Whether a token for some namespaces sees neighbours in others by id and type alone."
}

variable "partition_trimming" {
  type        = bool
  default     = true
  description = "Whether datasets that differ only by a partition in their path are one dataset."
}

variable "compaction_hour_utc" {
  type        = number
  default     = 0
  description = "The daily compaction starts at half past this hour, UTC."
}

variable "glue_version" {
  type        = string
  default     = "5.1"
  description = "The version of AWS Glue for the Spark jobs."
}

variable "web_acl_arn" {
  type        = string
  default     = ""
  description = "A web ACL that checks requests to the HTTP APIs; empty for none."
}

data "aws_region" "current" {}
data "aws_partition" "current" {}

locals {
  released = jsondecode(file("${var.release}/release.json"))
  template = "${var.release}/${local.released.templates["${var.auth}-${var.retention}"]}"
  # The name that `headwater deploy --template` gives its bucket is another one: Terraform may delete this bucket.
  bucket = var.assets_bucket == null ? aws_s3_bucket.assets[0].id : var.assets_bucket
}

resource "aws_s3_bucket" "assets" {
  count         = var.assets_bucket == null ? 1 : 0
  bucket_prefix = "headwater-assets-"
  force_destroy = true
}

resource "aws_s3_bucket_public_access_block" "assets" {
  count                   = length(aws_s3_bucket.assets)
  bucket                  = aws_s3_bucket.assets[0].id
  block_public_acls       = true
  block_public_policy     = true
  ignore_public_acls      = true
  restrict_public_buckets = true
}

resource "aws_s3_bucket_server_side_encryption_configuration" "assets" {
  count  = length(aws_s3_bucket.assets)
  bucket = aws_s3_bucket.assets[0].id
  rule {
    apply_server_side_encryption_by_default {
      sse_algorithm = "AES256"
    }
  }
}

resource "aws_s3_bucket_versioning" "assets" {
  count  = length(aws_s3_bucket.assets)
  bucket = aws_s3_bucket.assets[0].id
  versioning_configuration {
    status = "Enabled"
  }
}

resource "aws_s3_bucket_policy" "assets" {
  count  = length(aws_s3_bucket.assets)
  bucket = aws_s3_bucket.assets[0].id
  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Sid       = "TlsAlone"
      Effect    = "Deny"
      Principal = "*"
      Action    = "s3:*"
      Resource  = [aws_s3_bucket.assets[0].arn, "${aws_s3_bucket.assets[0].arn}/*"]
      Condition = { Bool = { "aws:SecureTransport" = "false" } }
    }]
  })
  depends_on = [aws_s3_bucket_public_access_block.assets]
}

resource "aws_s3_object" "asset" {
  for_each    = local.released.assets
  bucket      = local.bucket
  key         = each.key
  source      = "${var.release}/assets/${each.key}"
  source_hash = each.value.sha256
  depends_on  = [aws_s3_bucket_policy.assets]
}

# A template of this size is read from S3: CloudFormation takes 51,200 bytes in a request.
resource "aws_s3_object" "template" {
  bucket      = local.bucket
  key         = "templates/${filesha256(local.template)}.json"
  source      = local.template
  source_hash = filesha256(local.template)
  depends_on  = [aws_s3_bucket_policy.assets]
}

resource "aws_cloudformation_stack" "headwater" {
  name         = "Headwater-${var.stage}"
  template_url = "https://${local.bucket}.s3.${data.aws_region.current.id}.${data.aws_partition.current.dns_suffix}/${aws_s3_object.template.key}"
  capabilities = ["CAPABILITY_IAM"]
  parameters = {
    AssetsBucket      = local.bucket
    Stage             = var.stage
    AlarmEmail        = var.alarm_email
    StrictNamespaces  = tostring(var.strict_namespaces)
    PartitionTrimming = tostring(var.partition_trimming)
    CompactionHourUtc = tostring(var.compaction_hour_utc)
    GlueVersion       = var.glue_version
    WebAclArn         = var.web_acl_arn
  }
  tags = {
    service = "headwater"
    stage   = var.stage
  }
  depends_on = [aws_s3_object.asset]
}

output "outputs" {
  description = "The outputs of the stack by name: ApiUrl, InputFunctionName, ProducersPolicyArn and others."
  value       = aws_cloudformation_stack.headwater.outputs
}
