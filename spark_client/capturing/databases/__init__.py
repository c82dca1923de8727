"""Tables of databases behind JDBC URLs, and the columns of queries that a database runs."""
