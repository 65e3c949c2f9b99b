"""No tool accepts an argument it does not know."""

from ambidex.host.client.guest import Guest
from tests.desktop.tool_calls import refused
from tests.desktop.tools_table import TOOLS


def test_every_tool_refuses_an_unknown_argument_and_lists_the_known_ones(
    guest: Guest,
) -> None:
    for tool in TOOLS.values():
        code, answer = refused(guest, tool.name, surely_not=1)
        assert code == "bad_arguments", tool.name
        assert "unknown argument 'surely_not'" in answer
        assert all(name in answer for name in tool.takes), tool.name
