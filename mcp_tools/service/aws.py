"""Operations of AWS, called through botocore at the service `moto` of the machine.

Bytes are base64 text in arguments and results; the content of a stream, such as an object in a
bucket, is text if it is UTF-8. botocore is not a library of the guest: the image that has the
service has botocore beside it.
"""

from __future__ import annotations

import base64
import binascii
import functools
import json
import sys
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.contents import TEXT_LIMIT, truncate
from ambidex.mcp_tools.service.addresses import address_of

if TYPE_CHECKING:
    from botocore.awsrequest import AWSRequest
    from botocore.client import BaseClient
    from botocore.model import Shape

__all__ = ["SERVICE", "call", "execute"]

SERVICE = "moto"
REGION = "us-east-1"
ACCOUNT = "ambidex"
"""Both parts of the key: the service accepts any."""
LIBRARIES = "/opt/programs/python/lib/python{}.{}/site-packages"
ANSWERS_WITHIN = 60.0
"""Seconds for each read of an answer."""
REASON = 2_000
"""Characters of an error that are passed on."""


def call(service: str, operation: str, arguments: Mapping[str, Any]) -> Any:
    """Execute an operation at the machine's own AWS; return the members of its result."""
    address = address_of(SERVICE)
    if not address:
        raise ToolError(f"The machine has no service {SERVICE!r}.", code="no_service")
    return execute(address, service, operation, arguments)


def execute(address: str, service: str, operation: str, arguments: Mapping[str, Any]) -> Any:
    """Execute an operation of a service at an address.

    `ToolError` has the code `unknown_server`, `unknown_tool`, `bad_arguments`, `not_running`,
    `timeout` or `crashed`; `refused` and `failed` have the service's own words.
    """
    client = _client(address, service)  # first: it makes botocore importable
    from botocore import exceptions, xform_name
    from botocore.parsers import ResponseParserError

    model = client.meta.service_model
    if operation not in model.operation_names:
        raise ToolError(f"{service} has no operation {operation!r}.", code="unknown_tool")
    shape = model.operation_model(operation).input_shape
    prepared = _arguments(arguments, shape) if shape else dict(arguments)
    try:
        answer = getattr(client, xform_name(operation))(**prepared)
        answer.pop("ResponseMetadata", None)
        result = _plain(answer)
    except exceptions.ClientError as error:
        reason, status = error.response["Error"], error.response["ResponseMetadata"]
        code = "refused" if status["HTTPStatusCode"] < 500 else "failed"
        message = f"{operation}: {reason.get('Code')}: {reason.get('Message')}"
        raise ToolError(message[:REASON], code=code) from None
    except ResponseParserError as error:
        message = f"{operation}: the answer cannot be read: {error}"
        raise ToolError(message[:REASON], code="failed") from None
    except (exceptions.ParamValidationError, exceptions.MissingParametersError) as error:
        raise ToolError(f"{operation}: {error}"[:REASON], code="bad_arguments") from None
    except (exceptions.ReadTimeoutError, exceptions.ConnectTimeoutError):
        message = f"{operation} got no answer within {ANSWERS_WITHIN:g} s."
        raise ToolError(message, code="timeout") from None
    except exceptions.EndpointConnectionError as error:
        raise ToolError(f"{service} is not running: {error}", code="not_running") from None
    except exceptions.HTTPClientError as error:
        raise ToolError(
            f"The connection to {service} was lost during this call: {error}",
            code="crashed",
            hint="Check what the call changed before you repeat it.",
        ) from None
    except exceptions.BotoCoreError as error:
        raise ToolError(f"{operation}: {error}", code="failed") from None
    text = json.dumps(result, ensure_ascii=False)
    return result if len(text) <= TEXT_LIMIT else truncate(text)


@functools.cache
def _client(address: str, service: str) -> BaseClient:
    session = _session()
    from botocore.config import Config
    from botocore.exceptions import UnknownServiceError

    try:
        client = session.create_client(
            service,
            region_name=REGION,
            endpoint_url=address,
            aws_access_key_id=ACCOUNT,
            aws_secret_access_key=ACCOUNT,
            config=Config(
                connect_timeout=ANSWERS_WITHIN,
                read_timeout=ANSWERS_WITHIN,
                retries={"total_max_attempts": 1},
                s3={"addressing_style": "path"},
                proxies={},
            ),
        )
    except UnknownServiceError:
        raise ToolError(f"AWS has no service {service!r}.", code="unknown_server") from None
    host = urlsplit(address).netloc

    def stay(request: AWSRequest, **_: Any) -> None:
        """Send to the address even what goes to a host named after a bucket or an account."""
        request.url = urlsplit(request.url)._replace(netloc=host).geturl()

    client.meta.events.register_first("request-created", stay)
    return client


@functools.cache
def _session() -> Any:
    libraries = LIBRARIES.format(*sys.version_info[:2])
    if libraries not in sys.path:
        sys.path.append(libraries)  # last: the guest's own libraries stay what they are
    try:
        from botocore.session import Session
    except ImportError:
        raise ToolError("botocore is not installed on the machine.", code="not_installed") from None
    return Session()


def _arguments(value: Any, shape: Shape, where: str = "") -> Any:
    """Arguments as botocore takes them: bytes where they are base64 text here. What does not fit is
    left for botocore to refuse."""
    match shape.type_name:
        case "blob" if isinstance(value, str):
            try:
                return base64.b64decode(value, validate=True)
            except (binascii.Error, ValueError):
                message = f"{where or 'The argument'} must be base64 text of the bytes."
                raise ToolError(message, code="bad_arguments") from None
        case "structure" if isinstance(value, Mapping) and not getattr(
            shape, "is_document_type", False
        ):
            members = shape.members
            return {
                name: _arguments(item, members[name], name) if name in members else item
                for name, item in value.items()
            }
        case "list" if isinstance(value, list):
            return [_arguments(item, shape.member, where) for item in value]
        case "map" if isinstance(value, Mapping):
            return {name: _arguments(item, shape.value, name) for name, item in value.items()}
    return value


def _plain(value: Any) -> Any:
    """A result as JSON data."""
    from botocore.eventstream import EventStream
    from botocore.response import StreamingBody

    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, (bytes, bytearray)):
        return base64.b64encode(value).decode()
    if isinstance(value, StreamingBody):
        with value:
            content = value.read(TEXT_LIMIT + 1)
        try:
            return truncate(content.decode())
        except UnicodeDecodeError:
            return base64.b64encode(content).decode()
    if isinstance(value, EventStream):
        return [_plain(event) for event in value]
    return value
