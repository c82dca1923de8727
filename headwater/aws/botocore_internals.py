"""Every private module of botocore in use, imported here alone.

A later botocore may move a module: then the import fails, and `headwater.aws.clients` takes boto3's client instead.
"""

from botocore.handlers import add_recursion_detection_header
from botocore.httpsession import get_cert_path
from botocore.model import ServiceId
from botocore.parsers import create_parser
from botocore.regions import EndpointResolver
from botocore.retries.standard import register_retry_handler

__all__ = [
    "EndpointResolver",
    "ServiceId",
    "add_recursion_detection_header",
    "create_parser",
    "get_cert_path",
    "register_retry_handler",
]
