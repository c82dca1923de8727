"""The rules of a company's account: boundaries and paths of roles, keys, private endpoints, producers, a budget."""
