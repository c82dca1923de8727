"""Delivery of requests and events: over HTTP, to a Lambda function, into an SQS queue or a file."""
