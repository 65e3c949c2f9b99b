"""Tools that exist elsewhere are imported as candidates: names, descriptions and schemas, no
code."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from ambidex.host.errors import UsageError
from ambidex.toolgen.candidates.importing import from_openapi, from_server
from ambidex.toolgen.stages.propose import Proposal, from_elsewhere
from tests.support.serving import serve
from tests.support.tables import every_case
from tests.toolgen.small_server import server

SMALL = Path(__file__).with_name("small_server.py")
API = """
openapi: 3.1.0
paths:
  /songs/{id}:
    parameters:
      - {name: id, in: path, required: true, schema: {type: integer}, description: of the song}
    put:
      operationId: rateSong
      summary: Rate a song.
      description: From one star to five
      parameters: [{$ref: '#/components/parameters/Quiet'}]
      requestBody:
        content: {application/json: {schema: {$ref: '#/components/schemas/Rating'}}}
    get: {summary: Look at a song}
components:
  parameters:
    Quiet: {name: quiet, in: query, schema: {type: boolean}}
  schemas:
    Rating:
      type: object
      required: [stars]
      properties: {stars: {$ref: '#/components/schemas/Stars'}}
    Stars: {type: integer, maximum: 5}
"""


START = "openapi: 3.1.0\npaths: {/x: {get: {parameters:"


@pytest.mark.parametrize("where", ["stdio", "http"])
def test_the_tools_of_a_server_are_listed_and_none_is_called(where: str) -> None:
    if where == "stdio":
        tools = from_server(f"{sys.executable} {SMALL}")
    else:
        with serve(server.http_app(path="/mcp", stateless_http=True)) as address:
            tools = from_server(f"{address}/mcp")
    assert [tool.name for tool in tools] == ["count_words", "shout"]
    assert tools[0].description == "Count the words of a text with at least so many letters."
    assert tools[0].parameters["properties"]["least"] == {"default": 1, "type": "integer"}


def test_a_server_that_cannot_be_started_is_named() -> None:
    with pytest.raises(UsageError, match="did not list its tools"):
        from_server("/no/such/program")


@pytest.mark.parametrize("form", ["yaml", "json"])
def test_an_openapi_operation_has_the_parameters_of_path_query_and_body(
    tmp_path: Path, form: str
) -> None:
    import yaml

    file = tmp_path / f"api.{form}"
    file.write_text(API if form == "yaml" else json.dumps(yaml.safe_load(API)))
    look, rate = sorted(from_openapi(file), key=lambda tool: tool.name)
    assert (look.name, look.description) == ("GET_songs_id_b7bf1bec", "Look at a song")
    assert (rate.name, rate.description) == ("rateSong", "Rate a song. From one star to five")
    assert rate.parameters == {
        "type": "object",
        "properties": {
            "id": {"type": "integer", "description": "of the song"},
            "quiet": {"type": "boolean"},
            "stars": {"type": "integer", "maximum": 5},
        },
        "required": ["id", "stars"],
        "additionalProperties": False,
    }


@every_case(
    ("text", "why"),
    [
        ("[1]", "it is no object"),
        ("a: 1", "not an OpenAPI file"),
        ("a: [", "neither JSON nor YAML"),
        (f"{START} [{{$ref: 'http://x/y'}}]}}}}}}", "leads out of the file"),
        (f"{START} [{{$ref: '#/no'}}]}}}}}}", "has no target in the file"),
    ],
)
def test_a_file_that_is_not_openapi_is_refused(tmp_path: Path, text: str, why: str) -> None:
    file = tmp_path / "api.yaml"
    file.write_text(text)
    with pytest.raises(UsageError, match=why):
        from_openapi(file)


def test_imported_tools_become_candidates_by_their_names(tmp_path: Path) -> None:
    file = tmp_path / "api.yaml"
    file.write_text(API)
    proposal = Proposal("vlc", None, "o3", tmp_path / "foundry")
    (folder,) = from_elsewhere(proposal, "", file, ("rateSong",))
    candidate = folder.candidate()
    assert (candidate.name, candidate.origin) == ("vlc-ratesong", "openapi")
    assert candidate.source == str(file)
    assert candidate.parameters is not None
    assert candidate.parameters["required"] == ["id", "stars"]
    with pytest.raises(UsageError, match="not offered by the source: rateAlbum"):
        from_elsewhere(proposal, "", file, ("rateAlbum",))
