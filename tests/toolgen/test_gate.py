from pathlib import Path

from ambidex.toolgen.gate.gate import gate
from ambidex.toolgen.gate.similarity import nearest
from tests.support.served import CATALOGUE
from tests.support.tables import every_case

MCP_TOOLS = Path(__file__).parent.parent.parent / "mcp_tools"

GOOD = '''
from ambidex.mcp_tools import App, ToolError

app = notes = App("notes", "Notes", worker="desktop")

@notes.tool(reads_only=True)
def count_words(text: str) -> int:
    """Count the words of a text that the user has given you."""
    return len(text.split())
'''


BRIDGES = {name: {"network"} for name in ("devtools", "windows", "api", "sending")}
"""Modules that reach a program or a service of their own machine through a socket."""


def rules(tmp_path: Path, text: str) -> set[str]:
    file = tmp_path / "draft.py"
    file.write_text(text)
    return {finding.rule for finding in gate(file, []) if finding.refused}


def test_a_well_formed_tool_passes(tmp_path: Path) -> None:
    assert rules(tmp_path, GOOD) == set()


@every_case(
    "file", sorted(MCP_TOOLS.rglob("*.py")), ids=lambda file: str(file.relative_to(MCP_TOOLS))
)
def test_our_own_tools_pass_the_gate(file: Path) -> None:
    refused = {finding.rule for finding in gate(file, []) if finding.refused}
    # These two rules are for drafts; the files in the tree were reviewed as code.
    reviewed = {"acts at import", "silences"}
    assert refused - reviewed - {"declares", "waits", *BRIDGES.get(file.stem, ())} == set()


@every_case(
    ("old", "new", "rule"),
    [
        ("text: str", "text", "typed"),
        ("-> int", "", "typed"),
        ("Count the words of a text that the user has given you.", "Counts.", "prompt"),
        (
            "from ambidex.mcp_tools import",
            "import requests\nfrom ambidex.mcp_tools import",
            "network",
        ),
        (
            "from ambidex.mcp_tools import",
            "from ambidex.host.client.guest import Guest\nfrom ambidex.mcp_tools import",
            "layers",
        ),
        ("len(text.split())", "eval(text)", "runs text"),
        ("len(text.split())", "os.system(text)", "runs text"),
        ("len(text.split())", "subprocess.run(text, shell=True)", "runs text"),
        ("len(text.split())", "time.sleep(3)", "waits"),
        ("len(text.split())", 'open("/home/alice/words")', "path"),
        ("len(text.split())", '"sk-abcdefghijklmnopqrstuv"', "secret"),
        ("@notes.tool(reads_only=True)\n", "", "declares"),
        ("len(text.split())", "type X = int", "parses"),
    ],
)
def test_each_fault_is_refused_by_its_rule(tmp_path: Path, old: str, new: str, rule: str) -> None:
    assert old in GOOD
    assert rule in rules(tmp_path, GOOD.replace(old, new))


def test_similar_tools_are_found_by_name_and_description() -> None:
    catalogue = list(CATALOGUE.values())
    tool = catalogue[0]
    similar = nearest(tool.name + "s", tool.description, catalogue)
    assert similar[0][0].name == tool.name
    assert nearest("zzz_qqq", "0", catalogue) == []
