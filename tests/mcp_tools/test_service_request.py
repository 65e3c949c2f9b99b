"""The HTTP request of a tool carries each argument as OpenAPI 3 says.

The table is that of the specification ("Style Examples"), so its texts are nobody's own here.
"""

from __future__ import annotations

import base64
from typing import Any

import pytest

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.service.request import HttpRequest, build_request
from tests.support.tables import every_case

TEXT, ARRAY = "blue", ["blue", "black", "brown"]
OBJECT = {"R": 100, "G": 200, "B": 150}
STYLES: list[tuple[str, str, bool, Any, str]] = [
    ("path", "simple", False, TEXT, "blue"),
    ("path", "simple", False, ARRAY, "blue,black,brown"),
    ("path", "simple", False, OBJECT, "R,100,G,200,B,150"),
    ("path", "simple", True, ARRAY, "blue,black,brown"),
    ("path", "simple", True, OBJECT, "R=100,G=200,B=150"),
    ("path", "label", False, TEXT, ".blue"),
    ("path", "label", False, ARRAY, ".blue,black,brown"),
    ("path", "label", False, OBJECT, ".R,100,G,200,B,150"),
    ("path", "label", True, ARRAY, ".blue.black.brown"),
    ("path", "label", True, OBJECT, ".R=100.G=200.B=150"),
    ("path", "matrix", False, TEXT, ";color=blue"),
    ("path", "matrix", False, ARRAY, ";color=blue,black,brown"),
    ("path", "matrix", False, OBJECT, ";color=R,100,G,200,B,150"),
    ("path", "matrix", True, ARRAY, ";color=blue;color=black;color=brown"),
    ("path", "matrix", True, OBJECT, ";R=100;G=200;B=150"),
    ("query", "form", False, TEXT, "?color=blue"),
    ("query", "form", False, ARRAY, "?color=blue,black,brown"),
    ("query", "form", False, OBJECT, "?color=R,100,G,200,B,150"),
    ("query", "form", True, ARRAY, "?color=blue&color=black&color=brown"),
    ("query", "form", True, OBJECT, "?R=100&G=200&B=150"),
    ("query", "spaceDelimited", False, ARRAY, "?color=blue%20black%20brown"),
    ("query", "spaceDelimited", False, OBJECT, "?color=R%20100%20G%20200%20B%20150"),
    ("query", "pipeDelimited", False, ARRAY, "?color=blue%7Cblack%7Cbrown"),
    ("query", "pipeDelimited", False, OBJECT, "?color=R%7C100%7CG%7C200%7CB%7C150"),
    ("query", "deepObject", True, OBJECT, "?color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150"),
]


def carried(location: str, **how: Any) -> dict[str, Any]:
    return {"argument": "color", "location": location, "name": "color"} | how


def request(
    *parameters: dict[str, Any], arguments: dict[str, Any], method: str = "GET", **record: Any
) -> HttpRequest:
    execution = {"method": method, "path": "/p", "parameters": list(parameters)} | record
    return build_request(execution, arguments, "http://service:8000/api/")


@every_case("location, style, explode, value, expected", STYLES)
def test_every_style_is_written_as_in_the_specification(
    location: str, style: str, explode: bool, value: Any, expected: str
) -> None:
    path = "/{color}" if location == "path" else "/"
    how = carried(location, style=style, explode=explode)
    url = request(how, arguments={"color": value}, path=path).url
    assert url == f"http://service:8000/api/{expected}"


def test_values_cannot_leave_their_place_in_an_address() -> None:
    how = carried("path")
    path = "/a/{color}/b"
    assert request(how, arguments={"color": "x/../?y#z é"}, path=path).url.endswith(
        "/a/x%2F..%2F%3Fy%23z%20%C3%A9/b"
    )
    many = [carried("query"), {"argument": "n", "location": "query", "name": "a&b"}]
    assert request(*many, arguments={"color": "1&2=3", "n": ["x,y", "z"]}).url.endswith(
        "?color=1%262%3D3&a%26b=x%2Cy,z"
    )
    reserved = carried("path", reserved=True)
    assert request(reserved, arguments={"color": "x/y?z"}, path=path).url.endswith("/a/x/y%3Fz/b")


@every_case("value, reserved", [("", False), ("..", False), (".", False), ("a/../b", True)])
def test_a_value_that_would_change_the_path_is_refused(value: str, reserved: bool) -> None:
    with pytest.raises(ToolError, match="may not be") as error:
        request(carried("path", reserved=reserved), arguments={"color": value}, path="/a/{color}")
    assert error.value.code == "bad_arguments"


def test_arguments_that_are_missing_or_unknown_are_refused() -> None:
    with pytest.raises(ToolError, match=r"\{color\} in /a/\{color\} is missing"):
        request(carried("path"), arguments={}, path="/a/{color}")
    with pytest.raises(ToolError, match="Unknown arguments: other"):
        request(carried("query"), arguments={"other": 1})


def test_a_header_cannot_carry_another_header() -> None:
    how = {"argument": "h", "location": "header", "name": "X-Color"}
    assert request(how, arguments={"h": {"R": 1, "G": True}}).headers == (
        ("X-Color", "R,1,G,true"),
    )
    with pytest.raises(ToolError, match="printable ASCII"):
        request(how, arguments={"h": "a\r\nX-Other: b"})


def test_fixed_arguments_win_and_the_records_base_is_filled() -> None:
    parameters = [
        {"argument": "account", "location": "base", "name": "account"},
        {"argument": "version", "location": "query", "name": "api-version"},
    ]
    record = {
        "method": "GET",
        "base": "https://{account}.example.org/v1",
        "path": "/x?comp=list",
        "parameters": parameters,
        "fixed": {"version": "2024-01-01"},
    }
    given = {"account": "me/you", "version": "1"}
    expected = "https://me%2Fyou.example.org/v1/x?comp=list&api-version=2024-01-01"
    assert build_request(record, given).url == expected
    local = build_request(record, given, "http://localhost:1")
    assert local.url == "http://localhost:1/x?comp=list&api-version=2024-01-01"
    with pytest.raises(ToolError, match="no http address"):
        build_request({"method": "GET", "path": "/x"}, {})


def test_a_null_is_sent_in_a_json_body_only() -> None:
    member = {"argument": "m", "location": "body", "name": "member"}
    arguments = {"color": None, "m": None}
    made = request(
        carried("query"),
        member,
        arguments=arguments,
        method="POST",
        content_type="application/json",
    )
    assert (made.url, made.body) == ("http://service:8000/api/p", b'{"member":null}')


def test_a_json_body_of_members_is_an_object_even_without_arguments() -> None:
    member = {"argument": "m", "location": "body", "name": "member"}
    posted = request(member, arguments={}, method="POST", content_type="application/json")
    assert (posted.body, posted.headers) == (b"{}", (("Content-Type", "application/json"),))
    assert request(member, arguments={}, content_type="application/json").body == b""


def test_a_multipart_body_is_the_same_each_time_and_survives_hostile_names() -> None:
    file = {"argument": "f", "location": "form", "name": 'a"\r\nb', "binary": True}
    arguments = {"f": base64.b64encode(b"\0--").decode()}

    def made() -> HttpRequest:
        return request(file, arguments=arguments, method="POST", content_type="multipart/form-data")

    assert made() == made()
    assert b'name="a%22%0D%0Ab"; filename="a%22%0D%0Ab"' in made().body


def test_bytes_that_are_not_base64_are_refused() -> None:
    whole = {"argument": "f", "location": "body", "name": "", "binary": True}
    with pytest.raises(ToolError, match="must be base64"):
        request(whole, arguments={"f": "%"}, content_type="application/octet-stream")
