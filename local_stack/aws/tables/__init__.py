"""DynamoDB's items in SQLite: moto keeps the tables' schemas, and no item."""
