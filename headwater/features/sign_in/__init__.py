"""Sign-in: callers with tokens of the company's own issuer (OIDC), with the rights that are granted to their claims."""
