"""Names of datasets without a URL's user info, query string and fragment.

Names are stored for ever and printed everywhere. A location must have the same name in every run, but a signed URL
changes each time. OpenLineage's naming (https://openlineage.io/docs/spec/naming) has none of the three; its only name
with an `@` is a container of an Azure storage account.
"""

from __future__ import annotations

import re

from headwater_model.ids import DatasetId

# Schemes with a container before the last @; in the rest it is a user.
CONTAINERS = frozenset({"wasb", "wasbs", "abfs", "abfss"})
_WEB = frozenset({"http", "https"})
_URL = re.compile(r"(?P<before>.*?(?P<scheme>[A-Za-z][\w+.-]*)://)(?P<authority>[^/]*)(?P<path>.*)", re.DOTALL)
# A question mark belongs to a file's name (or is a pattern) unless a parameter's name and value follow.
_QUERY = re.compile(r"\?[^/=]*=.*", re.DOTALL)
_WEB_QUERY = re.compile(r"[?#].*", re.DOTALL)
_HOST = re.compile(r"[^:]*(?::\d*)?|\[[^\]]*\](?::\d*)?")
_HOST_AND_QUERY = re.compile(r"([^@?]*)\?[^/=@]*=")


def clean_name(text: str) -> str:
    """Cut from a location, a namespace or a name user info (up to the last `@` before the path) and query string.

    >>> clean_name("https://ann:s3cret@host:8443/flights.csv?X-Amz-Signature=abc#part")
    'https://host:8443/flights.csv'
    >>> clean_name("s3a://AKIAEXAMPLE:secret@lake/flights/logo@2x.png")
    's3a://lake/flights/logo@2x.png'
    >>> clean_name("abfss://lake@account.dfs.core.windows.net/flights?sig=abc")
    'abfss://lake@account.dfs.core.windows.net/flights'
    """
    match = _URL.match(text)
    if match is None:
        return _QUERY.sub("", text, count=1)
    scheme = match["scheme"].lower()
    authority, path = _split_user(match["authority"], match["path"])
    query = _WEB_QUERY if scheme in _WEB else _QUERY
    return match["before"] + query.sub("", f"{_without_user(scheme, authority)}{path}", count=1)


def clean_dataset(dataset: DatasetId) -> DatasetId:
    """Clean the namespace and the name of a dataset.

    >>> clean_dataset(DatasetId("https://ann:secret@host", "flights.csv?token"))
    DatasetId(namespace='https://host', name='flights.csv')
    """
    web = dataset.namespace.partition("://")[0].lower() in _WEB
    name = _WEB_QUERY.sub("", dataset.name, count=1) if web else clean_name(dataset.name)
    return DatasetId(clean_name(dataset.namespace), name or "/")


def _split_user(authority: str, path: str) -> tuple[str, str]:
    """Split authority and path, where a password has a slash, or a query without a path has an `@`."""
    query = _HOST_AND_QUERY.match(authority)
    if query and _HOST.fullmatch(query[1]):
        return query[1], ""
    if _HOST.fullmatch(authority) or "@" in authority or "@" not in path:
        return authority, path
    rest, slash, after = path.partition("@")[2].partition("/")
    return f"@{rest}", f"{slash}{after}"


def _without_user(scheme: str, authority: str) -> str:
    user, _, host = authority.rpartition("@")
    is_container = scheme in CONTAINERS and user and not re.search("[:@]", user)
    return authority if is_container else host
