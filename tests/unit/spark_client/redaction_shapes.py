"""Shapes in which secrets stand in texts of Spark jobs, and texts that only look like them.

`§` is the secret. A shape's second part is what must be left of it.
"""

from __future__ import annotations

HW_ID = "hw_0123456789abcdef_"

# Names with values: in statements, code, JSON, properties, XML.
NAMED = {
    "CREATE TABLE t OPTIONS (dbtable 'o', password = '§')": "CREATE TABLE t OPTIONS (dbtable 'o', password = ***)",
    "ALTER ROLE ann WITH ENCRYPTED PASSWORD '§'": "ALTER ROLE ann WITH ENCRYPTED PASSWORD ***",
    "CREATE LOGIN ann WITH PASSWORD = N'§'": "CREATE LOGIN ann WITH PASSWORD = N***",
    "SET PASSWORD FOR ann = PASSWORD('§')": "SET PASSWORD FOR ann = PASSWORD(***)",
    "OPTIONS (password '§' || '§')": "OPTIONS (password ***)",
    "COPY t SECRET_ACCESS_KEY '§' SESSION_TOKEN '§'": "COPY t SECRET_ACCESS_KEY *** SESSION_TOKEN ***",
    "CREDENTIALS=(AWS_KEY_ID='§' AWS_SECRET_KEY='§')": "CREDENTIALS=(AWS_KEY_ID=*** AWS_SECRET_KEY=***)",
    "ENCRYPTION = (MASTER_KEY = '§')": "ENCRYPTION = (MASTER_KEY = ***)",
    'if password == "§":': "if password == ***:",
    'password := "§"': "password := ***",
    'options(sfPassword -> "§", sfUser -> "ann")': 'options(sfPassword -> ***, sfUser -> "ann")',
    '{"password": "§", "user": "ann"}': '{"password": ***, "user": "ann"}',
    '{"password": 1§, "user": "ann"}': '{"password": ***, "user": "ann"}',
    '{"client_secret":"§"}': '{"client_secret":***}',
    "{'api_key': '§'}": "{'api_key': ***}",
    "DB_PASS=§": "DB_PASS=***",
    "dbpass='§'": "dbpass=***",
    "PGPASSWORD=§ psql -h db": "PGPASSWORD=*** psql -h db",
    "export AWS_SESSION_TOKEN=§": "export AWS_SESSION_TOKEN=***",
    "--conf spark.hadoop.fs.s3a.secret.key=§": "--conf spark.hadoop.fs.s3a.secret.key=***",
    "f(password=p(§), user=ann)": "f(password=***), user=ann)",
    "password=a\\§ user=ann": "password=*** user=ann",
    "SET spark.hadoop.fs.s3a.secret.key = §;": "SET spark.hadoop.fs.s3a.secret.key = ***;",
    "user = ann\npassword = §\nhost = db": "user = ann\npassword = ***\nhost = db",
    "spark.hadoop.fs.s3a.secret.key    §\nspark.app.name x": "spark.hadoop.fs.s3a.secret.key    ***\nspark.app.name x",
    "Map(fs.s3a.secret.key -> §, user -> ann)": "Map(fs.s3a.secret.key -> ***, user -> ann)",
    "Map(password -> §, user -> ann)": "Map(password -> ***, user -> ann)",
    "ArrayBuffer((fs.s3a.secret.key,§), (x,y))": "ArrayBuffer((fs.s3a.secret.key,***), (x,y))",
    "{user=ann, password=§, ssl=true}": "{user=ann, password=***, ssl=true}",
    "<password>§</password>": "<password>***</password>",
    "<name>fs.s3a.secret.key</name>\n  <value>§</value>": "<name>fs.s3a.secret.key</name>\n  <value>***</value>",
    "Endpoint=sb://h/;SharedAccessKeyName=root;SharedAccessKey=§=": "Endpoint=sb://h/;SharedAccessKeyName=root;SharedAccessKey=***",
    "Protocol=https;AccountName=lake;AccountKey=§==;": "Protocol=https;AccountName=lake;AccountKey=***;",
}
# Colons without quotes: messages, YAML, headers.
COLONS = {
    "login failed, password: §": "login failed, password: ***",
    "password2:§": "password2:***",
    "DB_PASSWORD: §": "DB_PASSWORD: ***",
    "api_key: 1§": "api_key: ***",
    "client_secret: 1§": "client_secret: ***",
    "access_token:1§": "access_token:***",
    "X-Api-Key: 1§": "X-Api-Key: ***",
    "X-Auth-Token: 1§": "X-Auth-Token: ***",
    "Ocp-Apim-Subscription-Key: 1§": "Ocp-Apim-Subscription-Key: ***",
    "Authorization: Bearer §§": "Authorization: Bearer ***",
    "Proxy-Authorization: Basic §§": "Proxy-Authorization: Basic ***",
    "{'Authorization': 'ApiKey §§'}": "{'Authorization': 'ApiKey ***'}",
    '{"Authorization": "token §§"}': '{"Authorization": "token ***"}',
    "Cookie: session=§; path=/": "Cookie: ***",
    "Set-Cookie: sid=§; HttpOnly": "Set-Cookie: ***",
}
STATEMENTS = {
    "CREATE USER ann IDENTIFIED BY '§'": "CREATE USER ann IDENTIFIED BY ***",
    'ALTER USER ann IDENTIFIED BY "§" ACCOUNT UNLOCK': "ALTER USER ann IDENTIFIED BY *** ACCOUNT UNLOCK",
    "CREATE USER ann IDENTIFIED BY § DEFAULT TABLESPACE t": "CREATE USER ann IDENTIFIED BY *** DEFAULT TABLESPACE t",
    "CREATE USER ann IDENTIFIED BY VALUES '§'": "CREATE USER ann IDENTIFIED BY VALUES ***",
    "GRANT ALL ON *.* TO ann IDENTIFIED BY PASSWORD '§'": "GRANT ALL ON *.* TO ann IDENTIFIED BY PASSWORD ***",
    "create user ann identified with sha256_password by '§'": "create user ann identified with sha256_password by ***",
    "ALTER USER ann IDENTIFIED WITH 'sha2' AS '§'": "ALTER USER ann IDENTIFIED WITH 'sha2' AS ***",
    "CREATE LINK l TO ann IDENTIFIED BY § USING 'x'": "CREATE LINK l TO ann IDENTIFIED BY *** USING 'x'",
    "SELECT pgp_sym_decrypt(card, '§') FROM t": "SELECT pgp_sym_decrypt(card, ***) FROM t",
    "SELECT DECRYPTBYPASSPHRASE('§', card) FROM t": "SELECT DECRYPTBYPASSPHRASE(***, card) FROM t",
}
# JSON, JAAS and code inside strings; what was percent-encoded.
INSIDE_STRINGS = {
    "-----BEGIN PRIVATE KEY-----\nMIIE§": "-----BEGIN PRIVATE KEY-----***",
    r'"{\"password\": \"§\", \"user\": \"ann\"}"': r'"{\"password\": \"***\", \"user\": \"ann\"}"',
    r'"{\\\"token\\\":\\\"§\\\"}"': r'"{\\\"token\\\":\\\"***\\\"}"',
    r"'{\'secret\': \'§\'}'": r"'{\'secret\': \'***\'}'",
    r'"{\"password\": 1§}"': r'"{\"password\": ***}"',
    r"\"api_key\": \"§\\\"§\"": r"\"api_key\": \"***\"",
    'PlainLoginModule required username="ann" password="§";': 'PlainLoginModule required username="ann" password=***;',
    r'.option("kafka.sasl.jaas.config", "x required username=\"ann\" password=\"§\";")': (
        r'.option("kafka.sasl.jaas.config", "x required username=\"ann\" password=\"***\";")'
    ),
    r'"OAuthBearerLoginModule required oauth.client.secret=\'§\';"': (
        r'"OAuthBearerLoginModule required oauth.client.secret=\'***\';"'
    ),
    r"{\"Authorization\": \"Bearer §§\"}": r"{\"Authorization\": \"Bearer ***\"}",
    "/login?next=%2Fdb%3Fpassword%3D§%26user%3Dann": "/login?next=%2Fdb%3Fpassword%3D***%26user%3Dann",
    "body=%7B%22password%22%3A%22§%22%7D": "body=%7B%22password%22%3A%22***%22%7D",
}
COMMANDS = {
    "curl -u ann:§ https://h/api": "curl -u ann:*** https://h/api",
    "curl -sS -u 'ann:§' https://h/api": "curl -sS -u 'ann:***' https://h/api",
    "curl -uann:§ https://h/api": "curl -uann:*** https://h/api",
    "curl https://h --user ann:§": "curl https://h --user ann:***",
    "curl --proxy-user=ann:§ https://h": "curl --proxy-user=ann:*** https://h",
    "wget --http-password § https://h": "wget --http-password *** https://h",
    "mysql -h db -u ann -p§ shop": "mysql -h db -u ann -p*** shop",
    "sshpass -p § ssh ann@h": "sshpass -p *** ssh ann@h",
    "redis-cli -h db -a § ping": "redis-cli -h db -a *** ping",
    "sqlplus ann/§@db": "sqlplus ann/***@db",
    "az storage blob list --account-key §": "az storage blob list --account-key ***",
    "java -Djavax.net.ssl.trustStorePassword=§ Main": "java -Djavax.net.ssl.trustStorePassword=*** Main",
}
URLS = {
    "https://ann:§@host/path@v1": "https://ann:***@host/path@v1",
    "https://ann:p/§@host.example/path": "https://ann:***@host.example/path",
    "redis://:§@db:6379/0": "redis://:***@db:6379/0",
    "postgresql+psycopg2://ann:§@db/shop": "postgresql+psycopg2://ann:***@db/shop",
    "jdbc:mysql://ann:§@db/shop": "jdbc:mysql://ann:***@db/shop",
    "s3n://AKIA:p/§@bucket/key": "s3n://AKIA:***@bucket/key",
    "https://a.blob.core.windows.net/c?sv=1&sig=§%3D&se=2": "https://a.blob.core.windows.net/c?sv=1&sig=***&se=2",
    "https://storage.googleapis.com/b/k?X-Goog-Signature=§&x=1": "https://storage.googleapis.com/b/k?X-Goog-Signature=***&x=1",
    "https://b/k?AWSAccessKeyId=§&Signature=§&Expires=1": "https://b/k?AWSAccessKeyId=***&Signature=***&Expires=1",
    "https://hooks.slack.com/services/T0/B0/§": "https://hooks.slack.com/services/***",
}
# Known by their form, wherever they stand; built here so that no scanner takes this file for a leak.
FORMS = {
    "ours": (HW_ID + "§" * 5, HW_ID + "***"),
    "ours, cut": (HW_ID + "§", HW_ID + "***"),
    "AWS, a session token": ("IQoJ" + "b3JpZ2lu" * 10, "***"),
    "Databricks": ("dapi" + "0a1b2c3d" * 4 + "-2", "***"),
    "GitHub": ("ghs_" + "a1B2c3D4e5F6" * 3, "***"),
    "GitHub, fine-grained": ("github_pat_" + "11ABCDEFG0_" * 4, "***"),
    "GitLab": ("glpat-" + "a1B2c3D4e5" * 2, "***"),
    "Slack": ("xoxb" + "-2401-2402-a1B2c3D4e5", "***"),
    "Slack, an app": ("xapp" + "-1-A0B1C2-2401-a1b2c3", "***"),
    "a JSON Web Token": ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.aa-bb_cc", "***"),
    "Google, a key": ("AIza" + "a1B2c3D4e5-" * 3 + "xy", "***"),
    "Google, an access token": ("ya29." + "a0AfH6SM_B-x" * 4, "***"),
    "Google, a client's secret": ("GOCSPX-" + "a1B2c3D4e5" * 3, "***"),
    "Azure, an application's secret": ("abc8Q~" + "a1B2c3D4e5" * 3 + "wxyz", "***"),
    "Vault": ("hvs." + "CAESIa1B2c3D4e5" * 3, "***"),
    "Terraform": ("a1B2c3D4e5F6g7.atlasv1." + "a1B2c3D4e5" * 7, "***"),
    "OpenAI": ("sk-proj-" + "a1B2c3D4e5_" * 4, "***"),
    "Stripe": ("sk_live_" + "a1B2c3D4" * 3, "***"),
    "SendGrid": ("SG." + "a1B2c3D4" * 3 + "." + "a1B2c3D4" * 5, "***"),
    "npm": ("npm_" + "a1B2c3D4e5F6" * 3, "***"),
    "PyPI": ("pypi-" + "AgEIcHlwaS5vcmc" * 5, "***"),
    "Hugging Face": ("hf_" + "aBcDeFgHiJ" * 4, "***"),
    "DigitalOcean": ("dop_v1_" + "0a1b2c3d" * 8, "***"),
    "dbt": ("dbtc_" + "a1B2c3D4e5_" * 4, "***"),
    "Grafana": ("glsa_" + "a1B2c3D4" * 4 + "_0a1b2c3d", "***"),
    "a PEM": (
        "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nMIIE+/=\n-----END RSA PRIVATE KEY-----",
        "-----BEGIN RSA PRIVATE KEY-----***-----END RSA PRIVATE KEY-----",
    ),
}
SHAPES = {**NAMED, **COLONS, **STATEMENTS, **INSIDE_STRINGS, **COMMANDS, **URLS}

# Texts of jobs that hold no secret: each must stay as it is.
HARMLESS = (
    # Names of columns, tables, settings
    "SELECT password, token FROM users WHERE id = 'x'",
    "SELECT tokens.id = keys.id, max(token) FROM a JOIN b ON a.token = b.token",
    "SELECT * FROM logs WHERE kind = 'password' AND name = 'x'",
    "SELECT transform(tokens, token -> upper(token)) FROM t",
    "INSERT INTO t (token, name) SELECT a.token, name FROM a",
    "SELECT a, b FROM t\nWHERE id = token\n  AND bypass = 1",
    "CREATE TABLE secrets (id INT, secret STRING, PRIMARY KEY (secret))",
    "primary key: id, foreign key: customer_id12",
    "SELECT compass, bypass FROM t WHERE bypass='x' AND design='y'",
    "tokenizer='bert-base', max_tokens=512, tokens_per_second=12",
    "spark.hadoop.fs.s3a.aws.credentials.provider=org.apache.hadoop.fs.s3a.SimpleAWSCredentialsProvider",
    "token_type='bearer', token_uri=https://h/token, secret_name='shop/db', passwordFile=/run/secret",
    "SharedAccessKeyName=root",
    'useToken=true, password=null, secret = None, "token": null, "api_key": false',
    "arn:aws:secretsmanager:eu-west-1:111122223333:secret:shop/db-a1b2c3",
    # Messages
    "the token expired: try again",
    "org.apache.spark.TokenException: no such file",
    "Unexpected token: end of input at line 12",
    "authorization is required for catalogue access",
    "Bearer tokens are required",
    "Signature: foo(int64, string) -> int64",
    "a row is identified by customer_id and day",
    "secret: not found",
    # Addresses
    "hdfs://namenode:8020/user/me@home",
    "http://[::1]:8080/a@b and http://host:8080/path/a@b.example/c",
    "abfss://lake@account.dfs.core.windows.net/flights",
    "git@github.com:acme/repo.git, ssh://git@github.com/acme/repo",
    "s3://lake/images/logo@2x.png, mail ann@acme.example",
    "https://h/?page=2&sort=name&design=1",
    # Commands
    "curl -u ann https://h/api; docker run -u 1000:1000 -p 8080:80 x; mkdir -p /data",
    "mysql -h db -P 3306 -p shop",
    # What only begins like a token, or is as long as one
    "hw_jobs, hw_0123, hw_0123456789abcdef",
    "AKIA, dapi, ghp_, xoxb-, sk-learn, risk-adjusted-return-of-the-whole-portfolio-in-2013, eyJ",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "0176a8c2-fe01-7439-87e6-56a1a1b4029f, SGVsbG8gd29ybGQ=",
    "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----",
)
