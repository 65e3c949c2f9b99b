"""Two addresses of pages: the same or not.

The public suffix comes from the list that tldextract brings along; nothing is ever asked of a
network.
"""

from __future__ import annotations

import re
from functools import cache
from urllib.parse import ParseResult, urlparse, urlunparse

import tldextract

from ambidex.evaluators import UnreadableError

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
    """An address in the form in which it is compared; `UnreadableError` for what cannot be one."""
    parts = _split(address if SCHEME.match(address) else f"http://{address}", strict=strict)
    return urlunparse(
        parts._replace(
            scheme=parts.scheme.lower(),
            netloc=_host(parts) if strict else _host_without_suffix(parts),
            path="" if parts.path == "/" else parts.path,
        )
    )


def without_query(address: str, *, strict: bool) -> str:
    """The address without its query."""
    return urlunparse(_split(address, strict=strict)._replace(query=""))


def _split(address: str, *, strict: bool) -> ParseResult:
    try:
        parts = urlparse(address)
        _ = parts.port if strict else None
        return parts
    except ValueError as error:
        raise UnreadableError(f"no address of a page: {address[:200]!r} ({error})") from error


def _host(parts: ParseResult) -> str:
    host = (parts.hostname or "").removeprefix("www.")
    usual = parts.port is None or parts.port == USUAL.get(parts.scheme.lower())
    return host if usual else f"{host}:{parts.port}"


def _host_without_suffix(parts: ParseResult) -> str:
    found = _suffixes()(parts.netloc.lower())
    # `www` does not count where it is all that stands before the domain.
    below = "" if found.subdomain in {"", "www"} else f"{found.subdomain}."
    return f"{below}{found.domain}"


@cache
def _suffixes() -> tldextract.TLDExtract:
    """Neither a list from the network nor a cache on disk."""
    return tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None)
