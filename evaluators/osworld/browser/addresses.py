"""Comparison of two URLs.

Public suffixes come from the list bundled with tldextract; the network is never used.
"""

from __future__ import annotations

import re
from functools import cache
from urllib.parse import ParseResult, urlparse, urlunparse

import tldextract

from ambidex.evaluators import UnreadableError

__all__ = ["WHOLE_HOST", "equal", "normalise", "without_query"]

WHOLE_HOST = (
    "The whole host counts, including its port: upstream drops the public suffix, so that"
    " example.org equals example.com, and any port with it."
)
"""The repair of every metric that compares URLs."""
SCHEME = re.compile(r"[a-zA-Z][a-zA-Z\d+.-]*://")
DEFAULT_PORTS = {"http": 80, "https": 443}


def equal(one: str, other: str, *, strict: bool) -> bool:
    """Whether two URLs are of the same page.

    The scheme defaults to `http`; a leading `www` and a path of only `/` do not count; scheme,
    path, query and fragment are compared.
    """
    return normalise(one, strict=strict) == normalise(other, strict=strict)


def normalise(url: str, *, strict: bool) -> str:
    """Normalise a URL for comparison; `UnreadableError` if it is malformed."""
    parts = _split(url if SCHEME.match(url) else f"http://{url}", strict=strict)
    return urlunparse(
        parts._replace(
            scheme=parts.scheme.lower(),
            netloc=_host(parts) if strict else _host_without_suffix(parts),
            path="" if parts.path == "/" else parts.path,
        )
    )


def without_query(url: str, *, strict: bool) -> str:
    """The URL without its query."""
    return urlunparse(_split(url, strict=strict)._replace(query=""))


def _split(url: str, *, strict: bool) -> ParseResult:
    try:
        parts = urlparse(url)
        _ = parts.port if strict else None
        return parts
    except ValueError as error:
        raise UnreadableError(f"not a URL: {url[:200]!r} ({error})") from error


def _host(parts: ParseResult) -> str:
    host = (parts.hostname or "").removeprefix("www.")
    default_port = parts.port is None or parts.port == DEFAULT_PORTS.get(parts.scheme.lower())
    return host if default_port else f"{host}:{parts.port}"


def _host_without_suffix(parts: ParseResult) -> str:
    extracted = _suffixes()(parts.netloc.lower())
    # `www` does not count if it is the whole subdomain.
    below = "" if extracted.subdomain in {"", "www"} else f"{extracted.subdomain}."
    return f"{below}{extracted.domain}"


@cache
def _suffixes() -> tldextract.TLDExtract:
    """An extractor that uses neither the network nor a cache on disk."""
    return tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None)
