"""Two addresses of pages: the same or not.

The public suffix comes from the list that tldextract brings along; nothing is ever asked of a
network.
"""

from __future__ import annotations

import re
from functools import cache
from urllib.parse import SplitResult, urlsplit, urlunsplit

import tldextract

from evaluators import Unreadable

__all__ = ["KEPT", "equal", "normal", "without_query"]

KEPT = (
    "The whole host counts, with its port: upstream drops the public suffix, so example.org is"
    " example.com, and with it any port."
)
"""The repair of every metric that compares addresses."""
SCHEME = re.compile(r"[a-zA-Z][a-zA-Z\d+.-]*://")
USUAL = {"http": 80, "https": 443}


def equal(one: str, other: str, *, strict: bool) -> bool:
    """Whether two addresses are of one page.

    `http` where no scheme is said; a leading `www` does not count, nor does a path that is only
    `/`; scheme, path, query and fragment are compared.
    """
    return normal(one, strict=strict) == normal(other, strict=strict)


def normal(address: str, *, strict: bool) -> str:
    """An address in the form in which it is compared; `Unreadable` for what cannot be one."""
    parts = _parts(address)
    return urlunsplit(
        (
            parts.scheme.lower(),
            _host(parts) if strict else _host_without_suffix(parts),
            "" if parts.path == "/" else parts.path,
            parts.query,
            parts.fragment,
        )
    )


def without_query(address: str) -> str:
    """The address without its query."""
    return urlunsplit(_split(address)._replace(query=""))


def _parts(address: str) -> SplitResult:
    return _split(address if SCHEME.match(address) else f"http://{address}")


def _split(address: str) -> SplitResult:
    try:
        parts = urlsplit(address)
        _ = parts.port
        return parts
    except ValueError as error:
        raise Unreadable(f"no address of a page: {address[:200]!r} ({error})") from error


def _host(parts: SplitResult) -> str:
    host = (parts.hostname or "").removeprefix("www.")
    usual = parts.port is None or parts.port == USUAL.get(parts.scheme.lower())
    return host if usual else f"{host}:{parts.port}"


def _host_without_suffix(parts: SplitResult) -> str:
    found = _suffixes()(parts.netloc.lower())
    return f"{found.subdomain}.{found.domain}".removeprefix("www.").removeprefix(".")


@cache
def _suffixes() -> tldextract.TLDExtract:
    """Neither a list from the network nor a cache on disk."""
    return tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None)
