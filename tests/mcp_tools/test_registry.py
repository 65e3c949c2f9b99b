"""Declaring tools: schemas from signatures, validation of arguments, errors."""

from typing import Annotated, Literal

import pytest
from pydantic import Field

from ambidex.mcp_tools import App, ToolError, UndescribedError


def app() -> App:
    return App("shop", "A shop", worker="shop")


def test_the_signature_is_the_schema() -> None:
    shop = app()

    @shop.tool()
    def buy(
        what: Annotated[str, Field(description="a thing")],
        count: Annotated[int, Field(ge=1)] = 1,
        wrapping: Literal["paper", "none"] = "none",
    ) -> None:
        """Buy a thing."""

    schema = shop.tools["shop_buy"].parameters
    assert schema["additionalProperties"] is False
    assert schema["required"] == ["what"]
    assert schema["properties"]["what"] == {"description": "a thing", "type": "string"}
    assert schema["properties"]["count"] == {"default": 1, "minimum": 1, "type": "integer"}
    assert schema["properties"]["wrapping"]["enum"] == ["paper", "none"]


def test_arguments_get_their_types_and_defaults() -> None:
    shop = app()

    @shop.tool()
    def buy(what: str, count: int = 2) -> None:
        """Buy a thing."""

    assert shop.tools["shop_buy"].arguments({"what": "tea"}) == {"what": "tea", "count": 2}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"what": "tea", "amount": 2}, "unknown argument 'amount'; shop_buy takes what, count"),
        ({}, "argument 'what' is required"),
        ({"what": "tea", "count": 0}, "argument 'count': Input should be greater than or equal"),
        ({"what": "tea", "argument_count": 1}, "unknown argument 'argument_count'"),
    ],
)
def test_a_wrong_argument_is_named_with_what_is_allowed(
    given: dict[str, object], said: str
) -> None:
    shop = app()

    @shop.tool()
    def buy(what: str, count: Annotated[int, Field(ge=1)] = 1) -> None:
        """Buy a thing."""

    with pytest.raises(ToolError, match="shop_buy: ") as caught:
        shop.tools["shop_buy"].arguments(given)
    assert said in caught.value.message
    assert caught.value.code == "bad_arguments"


def test_an_argument_may_have_the_name_of_a_pydantic_attribute() -> None:
    shop = app()

    @shop.tool()
    def buy(schema: str, copy: bool, model_config: str = "x") -> None:
        """Buy a thing."""

    tool = shop.tools["shop_buy"]
    assert list(tool.parameters["properties"]) == ["schema", "copy", "model_config"]
    arguments = {"schema": "s", "copy": True}
    assert tool.arguments(arguments) == {**arguments, "model_config": "x"}


def test_a_tool_without_a_docstring_is_refused_when_it_is_declared() -> None:
    def buy() -> None: ...

    with pytest.raises(UndescribedError, match="shop_buy has no docstring"):
        app().tool()(buy)


def test_an_argument_without_a_type_is_refused_when_it_is_declared() -> None:
    def buy(what) -> None:  # type: ignore[no-untyped-def]
        """Buy a thing."""

    with pytest.raises(UndescribedError, match="argument 'what' has no type"):
        app().tool()(buy)


def test_an_error_reads_as_message_and_hint() -> None:
    error = ToolError("There is no tea.", code="no_tea", hint="Coffee is left.")
    assert str(error) == "There is no tea. Coffee is left."
