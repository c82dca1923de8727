"""Names shared by the construct and the functions of sign-in: environment variables, rows of the graph table."""

# The issuer of the tokens; not set without sign-in.
SIGN_IN_ISSUER = "SIGN_IN_ISSUER"
# JSON lists: the audiences of the tokens, and the origins of the issuer's endpoints.
SIGN_IN_AUDIENCE = "SIGN_IN_AUDIENCE"
SIGN_IN_ORIGINS = "SIGN_IN_ORIGINS"
# The public client of the explorer and of `headwater login`, and the scopes in its requests.
SIGN_IN_CLIENT = "SIGN_IN_CLIENT"
SIGN_IN_SCOPE = "SIGN_IN_SCOPE"
# The names of people in logs: `sub`, or `email` where it is verified.
SIGN_IN_NAMES = "SIGN_IN_NAMES"
# The row of the issuer's last keys: for new instances of the authorizer while the issuer is down.
ISSUER_KEYS = "SIGN_IN_KEYS"
