"""Send the HTTP request of a tool, and read the answer within bounds."""

from __future__ import annotations

import base64
import json
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from http.client import HTTPException, HTTPMessage
from typing import Any
from urllib.parse import quote, urlsplit

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.contents import TEXT_LIMIT, Media, picture_or_media, truncate
from ambidex.mcp_tools.service.addresses import address_of, token_of
from ambidex.mcp_tools.service.request import HttpRequest, build_request

__all__ = ["call", "send"]

ANSWERS_WITHIN = 60.0
"""Seconds for each read of an answer."""
LARGEST = 4 * TEXT_LIMIT
"""Bytes of an answer that are read."""
REASON = 2_000
"""Characters of a refusal that are passed on."""
CODES = {
    400: "bad_arguments",
    401: "permission",
    403: "permission",
    404: "not_found",
    408: "timeout",
    422: "bad_arguments",
    504: "timeout",
}


class _SameHost(urllib.request.HTTPRedirectHandler):
    """Follows redirects within a host only: the request has the host's credential."""

    def redirect_request(
        self, req: urllib.request.Request, fp: Any, code: int, msg: str, headers: HTTPMessage,
        newurl: str,
    ) -> urllib.request.Request | None:  # fmt: skip
        if urlsplit(newurl).netloc != urlsplit(req.full_url).netloc:
            return None
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def call(
    server: str,
    execution: Mapping[str, Any],
    arguments: Mapping[str, Any],
    carriers: Sequence[Mapping[str, str]] = (),
) -> Any:
    """Carry out a request of a tool, at the service of the machine that is called as its server, or
    else at the record's own address.

    Returns JSON data, text, a `Picture` or `Media`. `carriers` say where requests have a
    credential, which is the desktop user's token of the service.
    """
    base = address_of(server)
    if not base and not execution.get("base"):
        raise ToolError(f"No service {server!r} with an address is here.", code="no_service")
    request = build_request(execution, arguments, base)
    token = token_of(server) if base and carriers else ""
    return send(server, _with_credential(request, carriers[0], token) if token else request)


def send(server: str, request: HttpRequest) -> Any:
    """Send a request and return what the answer holds. `ToolError` has the service's own words."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), _SameHost())
    prepared = urllib.request.Request(
        request.url, request.body or None, dict(request.headers), method=request.method
    )
    try:
        with opener.open(prepared, timeout=ANSWERS_WITHIN) as answer:
            return _unpack(answer.headers, answer.read(LARGEST + 1))
    except urllib.error.HTTPError as error:
        with error:
            reason = error.read(LARGEST).decode(errors="replace").strip()[:REASON]
        code = CODES.get(error.code, "refused" if error.code < 500 else "failed")
        raise ToolError(
            f"{server} answers {error.code} {error.reason}: {reason or 'no reason given'}",
            code=code,
        ) from None
    except TimeoutError:
        message = f"{server} did not answer within {ANSWERS_WITHIN:g} s."
        raise ToolError(message, code="timeout") from None
    except urllib.error.URLError as error:
        if isinstance(error.reason, TimeoutError):
            message = f"{server} did not answer within {ANSWERS_WITHIN:g} s."
            raise ToolError(message, code="timeout") from None
        message = f"{server} cannot be reached: {error.reason}."
        raise ToolError(message, code="not_running") from None
    except (HTTPException, OSError) as error:
        raise ToolError(
            f"{server} closed the connection during this call ({error!r}).",
            code="crashed",
            hint="Check what the call changed before you repeat it.",
        ) from None


def _with_credential(request: HttpRequest, carrier: Mapping[str, str], token: str) -> HttpRequest:
    name, value = carrier["name"], carrier["prefix"] + token
    headers, url = request.headers, request.url
    match carrier["location"]:
        case "query":
            url += f"{'&' if '?' in url else '?'}{quote(name, safe='')}={quote(value, safe='')}"
        case "cookie":
            cookies = [text for header, text in headers if header == "Cookie"]
            others = tuple(pair for pair in headers if pair[0] != "Cookie")
            headers = (*others, ("Cookie", "; ".join([*cookies, f"{name}={value}"])))
        case _:
            headers = (*headers, (name, value))
    return HttpRequest(request.method, url, headers, request.body)


def _unpack(headers: HTTPMessage, content: bytes) -> Any:
    kind = headers.get_content_type()
    if len(content) > LARGEST:
        return truncate(content.decode(errors="replace"))
    if kind.startswith("image/"):
        return picture_or_media(kind, base64.b64encode(content).decode())
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return Media(kind, base64.b64encode(content).decode())
    if len(text) <= TEXT_LIMIT and (kind == "application/json" or kind.endswith("+json")):
        try:
            return json.loads(text)
        except ValueError:
            return text
    return truncate(text)
