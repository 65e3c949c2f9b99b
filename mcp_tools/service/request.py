"""Build the HTTP request of a tool. Nothing is sent here, and the same call gives the same bytes.

    build_request(execution, {"id": 7}, "http://127.0.0.1:8080")

`execution` is the record of the toolset (`HttpExecution` on the host). Credentials are added by
whoever sends the request.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.service.styles import as_json, joined, pairs, text_of

__all__ = ["HttpRequest", "build_request"]

FORM = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data"
IN_PATH = "/:@!$&'()*+,;="
"""Reserved characters that mean nothing else in a path."""
IN_QUERY = "/:@!$'()*,;?"
PLACEHOLDER = re.compile(r"\{([^{}]+)\}")
COOKIE = "!#$&'()*+-./:<=>?@[]^_`{|}~"
"""RFC 6265: special characters that a cookie's value may have."""
TAKE_BODY = ("POST", "PUT", "PATCH")


@dataclass(frozen=True)
class HttpRequest:
    """A request that is ready to be sent."""

    method: str
    url: str
    headers: tuple[tuple[str, str], ...]
    """In ASCII. `Content-Type` is among them if there is a body."""
    body: bytes


@dataclass(frozen=True)
class _Parameter:
    """How one argument is carried; see `HttpParameter` on the host."""

    argument: str
    location: str
    name: str
    style: str = ""
    explode: bool = False
    binary: bool = False
    reserved: bool = False


def build_request(
    execution: Mapping[str, Any], arguments: Mapping[str, Any], base: str = ""
) -> HttpRequest:
    """The request of one call.

    `base` is the address at which the service runs; it replaces the record's own. `ToolError` with
    the code `bad_arguments` if an argument is missing in the path, unknown, or cannot be carried.
    """
    given = {**arguments, **execution.get("fixed", {})}
    parameters = [_Parameter(**record) for record in execution.get("parameters", ())]
    if unknown := given.keys() - {parameter.argument for parameter in parameters}:
        raise _wrong(f"unknown arguments: {', '.join(sorted(unknown))}")

    def at(location: str) -> list[tuple[_Parameter, Any]]:
        values = [(each, given.get(each.argument)) for each in parameters]
        return [
            (each, value)
            for each, value in values
            if each.location == location
            if value is not None or (location == "body" and each.argument in given)
        ]

    root = base or _filled(execution.get("base", ""), at("base"))
    if urlsplit(root).scheme not in ("http", "https"):
        raise ToolError(f"The service has no http address: {root!r}.", code="no_service")
    url = root.rstrip("/") + _filled(execution["path"], at("path"))
    if query := "&".join(_query(at("query"))):
        url += ("&" if "?" in url else "?") + query
    headers = [(each.name, _header(each, value)) for each, value in at("header")]
    if cookies := [text for each, value in at("cookie") for text in _cookies(each, value)]:
        headers.append(("Cookie", "; ".join(cookies)))
    content_type, body = _body(execution, parameters, at("body") + at("form"))
    if content_type:
        headers.append(("Content-Type", content_type))
    return HttpRequest(execution["method"], url, tuple(headers), body)


def _filled(template: str, values: list[tuple[_Parameter, Any]]) -> str:
    """A template with its placeholders replaced."""
    texts = {}
    for parameter, value in values:
        safe = IN_PATH if parameter.reserved else ""
        text = joined(parameter.name, value, parameter.style, parameter.explode, safe)
        # A client would remove such a segment, and the request would go to another operation.
        if not text or {".", ".."} & set(text.split("/")):
            raise _wrong(f"{parameter.argument} may not be {value!r} in an address")
        texts[parameter.name] = text

    def fill(placeholder: re.Match[str]) -> str:
        if placeholder[1] not in texts:
            raise _wrong(f"the argument for {placeholder[0]} in {template} is missing")
        return texts[placeholder[1]]

    return PLACEHOLDER.sub(fill, template)


def _query(values: list[tuple[_Parameter, Any]]) -> Iterator[str]:
    for parameter, value in values:
        safe = IN_QUERY if parameter.reserved else ""
        several = isinstance(value, (list, Mapping))
        if several and not parameter.explode and parameter.style in ("", "form"):
            # Commas between items are not encoded, those within an item are.
            text = joined("", value, "", False, safe)
            yield f"{quote(parameter.name, safe='')}={text}"
            continue
        for name, text in pairs(parameter.name, value, parameter.style, parameter.explode):
            yield f"{quote(name, safe='')}={quote(text, safe=safe)}"


def _header(parameter: _Parameter, value: Any) -> str:
    # Headers are not encoded: the separators of a list are the only ones that there are.
    if parameter.style == "json":
        text = as_json(value)
    elif isinstance(value, Mapping):
        between = "=" if parameter.explode else ","
        text = ",".join(f"{key}{between}{text_of(item)}" for key, item in value.items())
    elif isinstance(value, (list, tuple)):
        text = ",".join(map(text_of, value))
    else:
        text = text_of(value)
    if not (text.isascii() and text.isprintable()):
        raise _wrong(f"{parameter.argument} is sent in a header: printable ASCII only")
    return text


def _cookies(parameter: _Parameter, value: Any) -> Iterator[str]:
    for name, text in pairs(parameter.name, value, parameter.style, parameter.explode):
        yield f"{name}={quote(text, safe=COOKIE)}"


def _body(
    execution: Mapping[str, Any],
    parameters: list[_Parameter],
    values: list[tuple[_Parameter, Any]],
) -> tuple[str, bytes]:
    """Media type and bytes of the body; both empty without one."""
    content_type = execution.get("content_type", "")
    in_body = [each for each in parameters if each.location in ("body", "form")]
    members = any(each.location == "body" and each.name for each in in_body)
    if not values and not (members and execution["method"] in TAKE_BODY):
        return "", b""
    if content_type == MULTIPART:
        return _multipart([part for each, value in values for part in _parts(each, value)])
    if content_type == FORM:
        fields = [
            field
            for each, value in values
            for field in pairs(each.name, value, each.style, each.explode)
        ]
        return content_type, urlencode(fields).encode("ascii")
    if members:
        return content_type, as_json({each.name: value for each, value in values}).encode()
    [(whole, value)] = values
    if whole.binary:
        return content_type, _bytes(whole, value)
    if isinstance(value, str) and not _is_json(content_type):
        return content_type, value.encode()
    return content_type, as_json(value).encode()


@dataclass(frozen=True)
class _Part:
    """One part of a multipart body."""

    name: str
    content: bytes
    content_type: str = ""
    file: bool = False


def _parts(parameter: _Parameter, value: Any) -> Iterator[_Part]:
    for item in value if isinstance(value, list) and parameter.style != "json" else [value]:
        if parameter.binary:
            content = _bytes(parameter, item)
            yield _Part(parameter.name, content, "application/octet-stream", file=True)
        elif isinstance(item, (Mapping, list)) or parameter.style == "json":
            yield _Part(parameter.name, as_json(item).encode(), "application/json")
        else:
            yield _Part(parameter.name, text_of(item).encode())


def _multipart(parts: list[_Part]) -> tuple[str, bytes]:
    blocks = []
    for part in parts:
        # As browsers write it (WHATWG).
        name = part.name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
        head = f'Content-Disposition: form-data; name="{name}"'
        if part.file:
            head += f'; filename="{name}"'
        if part.content_type:
            head += f"\r\nContent-Type: {part.content_type}"
        blocks.append(head.encode() + b"\r\n\r\n" + part.content + b"\r\n")
    # A hash of the parts is not in them.
    boundary = sha256(b"".join(blocks)).hexdigest()
    opening = f"--{boundary}\r\n".encode()
    body = b"".join(opening + block for block in blocks) + f"--{boundary}--\r\n".encode()
    return f"{MULTIPART}; boundary={boundary}", body


def _bytes(parameter: _Parameter, value: Any) -> bytes:
    try:
        return base64.b64decode(value, validate=True)
    except (binascii.Error, TypeError, ValueError):
        raise _wrong(f"{parameter.argument} must be base64 text of the bytes") from None


def _is_json(content_type: str) -> bool:
    media_type = content_type.partition(";")[0].strip()
    return media_type == "application/json" or media_type.endswith("+json")


def _wrong(message: str) -> ToolError:
    return ToolError(f"{message[0].upper()}{message[1:]}.", code="bad_arguments")
