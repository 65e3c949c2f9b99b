"""AWS operations at a local moto server, through the functions that a guest runs."""

from __future__ import annotations

import base64
import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.service import addresses, aws
from bench.aws.server import moto, state
from tests.support.tables import every_case


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with moto(tmp_path_factory.mktemp("moto") / "log") as address:
        yield address


def test_an_object_is_put_in_base64_and_read_as_text(address: str) -> None:
    aws.execute(address, "s3", "CreateBucket", {"Bucket": "invoices"})
    for key, content in (("a.txt", "grüße".encode()), ("b.bin", b"\xff\x00")):
        body = base64.b64encode(content).decode()
        put = {"Bucket": "invoices", "Key": key, "Body": body}
        aws.execute(address, "s3", "PutObject", put)
    [text, binary] = [
        aws.execute(address, "s3", "GetObject", {"Bucket": "invoices", "Key": key})["Body"]
        for key in ("a.txt", "b.bin")
    ]
    assert (text, binary) == ("grüße", "/wA=")
    json.dumps(aws.execute(address, "s3", "ListBuckets", {}))
    assert "invoices" in state(address)


def test_bytes_that_a_result_has_are_arguments_of_the_next_call(address: str) -> None:
    key = aws.execute(address, "kms", "CreateKey", {})["KeyMetadata"]["KeyId"]
    plain = base64.b64encode(b"secret").decode()
    sealed = aws.execute(address, "kms", "Encrypt", {"KeyId": key, "Plaintext": plain})
    opened = {"CiphertextBlob": sealed["CiphertextBlob"]}
    assert aws.execute(address, "kms", "Decrypt", opened)["Plaintext"] == plain


@every_case(
    ("service", "operation", "arguments", "code", "said"),
    [
        ("s4", "CreateBucket", {}, "unknown_server", "no service 's4'"),
        ("s3", "MakeBucket", {}, "unknown_tool", "no operation 'MakeBucket'"),
        ("s3", "CreateBucket", {}, "bad_arguments", 'Missing required parameter.*"Bucket"'),
        ("kms", "Encrypt", {"KeyId": "x", "Plaintext": "%"}, "bad_arguments", "Plaintext must be"),
        ("s3", "GetObject", {"Bucket": "none", "Key": "x"}, "refused", "NoSuchBucket"),
    ],
)
def test_a_call_that_fails_says_why(
    address: str, service: str, operation: str, arguments: dict[str, Any], code: str, said: str
) -> None:
    with pytest.raises(ToolError, match=said) as refused:
        aws.execute(address, service, operation, arguments)
    assert refused.value.code == code


def test_a_machine_without_the_service_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(addresses, "DECLARED", tmp_path / "none")
    with pytest.raises(ToolError) as absent:
        aws.call("s3", "ListBuckets", {})
    assert absent.value.code == "no_service"


def test_a_service_that_hangs_or_is_down_is_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aws, "ANSWERS_WITHIN", 0.3)
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(ToolError) as down:
            aws.execute(address, "sqs", "ListQueues", {})
        silent.listen()
        with pytest.raises(ToolError) as late:
            aws.execute(address, "sqs", "ListQueues", {})
    assert (down.value.code, late.value.code) == ("not_running", "timeout")
