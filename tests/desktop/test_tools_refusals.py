"""What no tool does: take an argument it does not know."""

from ambidex.host.client.guest import Guest
from ambidex.mcp_tools import catalogue
from tests.desktop.tool_calls import refused


def test_every_tool_refuses_an_argument_it_does_not_know_and_says_which_it_takes(
    guest: Guest,
) -> None:
    for tool in catalogue.tools().values():
        code, said = refused(guest, tool.name, surely_not=1)
        assert code == "bad_arguments", tool.name
        assert "unknown argument 'surely_not'" in said
        assert all(name in said for name in tool.takes), tool.name
