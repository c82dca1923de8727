"""API Gateway on loopback, and the requests that it refuses."""
