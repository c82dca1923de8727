"""API Gateway on loopback, and its refusals of requests."""
