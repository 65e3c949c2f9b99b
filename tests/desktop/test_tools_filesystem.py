"""The tools of the mounted filesystem server in a real desktop, checked through the harness and
with programs of the desktop.
"""

import base64
import io
import json
from collections.abc import Iterator

import pytest
from PIL import Image

from ambidex.host.client.guest import Guest
from tests.desktop.proofs import proves
from tests.desktop.tool_calls import called, done, read, refused

TEXT = "größe ✓ 🎉\n\"quoted\" 'too' $HOME\nשלום\nlast line\n"


@pytest.fixture
def folder(guest: Guest) -> Iterator[str]:
    """A folder with `a text.txt`, `below/deep.log` and a link that leads out of the home folder."""
    path = read(guest, "mktemp", "-d", "/home/user/a folder XXXXXX")
    guest.put(f"{path}/a text.txt", TEXT.encode())
    read(guest, "mkdir", f"{path}/below")
    guest.put(f"{path}/below/deep.log", b"x" * 3000)
    read(guest, "ln", "-s", "/etc", f"{path}/out")
    yield path
    read(guest, "rm", "-rf", path)


@proves(
    "the bytes that the host put there",
    filesystem_read_file="the whole text",
    filesystem_read_text_file="the whole text; its first and its last lines",
    filesystem_read_multiple_files="each text, and the reason for one that is missing",
)
def test_texts_are_read_unchanged(guest: Guest, folder: str) -> None:
    path = f"{folder}/a text.txt"
    for tool in ("filesystem_read_file", "filesystem_read_text_file"):
        assert done(guest, tool, path=path) == TEXT
        assert done(guest, tool, path=path, head=2) == "\n".join(TEXT.split("\n")[:2])
        assert done(guest, tool, path=path, tail=2) == "last line\n"
        both = refused(guest, tool, path=path, head=1, tail=1)
        assert both[0] == "failed"
        assert refused(guest, tool, path=f"{folder}/missing.txt")[0] == "failed"
    relative = path.removeprefix("/home/user/")
    assert done(guest, "filesystem_read_text_file", path=relative) == TEXT
    assert done(guest, "filesystem_read_text_file", path=f"~/{relative}") == TEXT
    for text in ("", "null", '{"content": 1}'):
        guest.put(f"{folder}/data", text.encode())
        assert done(guest, "filesystem_read_text_file", path=f"{folder}/data") == text
    several = [path, f"{folder}/missing.txt"]
    answer = done(guest, "filesystem_read_multiple_files", paths=several)
    assert TEXT in answer
    assert f"{folder}/missing.txt: Error" in answer
    assert refused(guest, "filesystem_read_multiple_files", paths=[])[0] == "bad_arguments"


@proves(
    "the picture's own pixels, as the host made it",
    filesystem_read_media_file="a picture comes back as one, a sound as its type and bytes",
)
def test_pictures_are_shown_and_sounds_are_data(guest: Guest, folder: str) -> None:
    picture = Image.new("RGB", (30, 20), (200, 30, 30))
    for kind in ("PNG", "GIF"):
        result = io.BytesIO()
        picture.save(result, kind)
        guest.put(f"{folder}/p.{kind.lower()}", result.getvalue())
        observed = called(
            guest, "filesystem_read_media_file", {"path": f"{folder}/p.{kind.lower()}"}
        )
        assert not observed.error, observed
        (url,) = observed.images
        head, _, data = url.partition(",")
        assert head == "data:image/png;base64"
        shown = Image.open(io.BytesIO(base64.b64decode(data))).convert("RGB")
        assert shown.size == (30, 20)
        assert shown.getpixel((7, 7)) == (200, 30, 30)
    guest.put(f"{folder}/s.wav", b"RIFF")
    sound = done(guest, "filesystem_read_media_file", path=f"{folder}/s.wav")
    assert sound == {"mime_type": "audio/wav", "base64": "UklGRg=="}
    other = done(guest, "filesystem_read_media_file", path=f"{folder}/below/deep.log")
    assert other["mime_type"] == "application/octet-stream"
    assert refused(guest, "filesystem_read_media_file", path=f"{folder}/no.png")[0] == "failed"


@proves(
    "the host reads the file's bytes",
    filesystem_write_file="the exact bytes, also when replacing others",
    filesystem_edit_file="the lines are changed, and nothing by a dry run or a missing text",
)
def test_texts_are_written_and_edited(guest: Guest, folder: str) -> None:
    path = f"{folder}/new ü.txt"
    for content in (TEXT, "", "short"):
        done(guest, "filesystem_write_file", path=path, content=content)
        assert guest.get(path) == content.encode()
    outside = refused(guest, "filesystem_write_file", path=f"{folder}/out/x", content="x")
    assert outside[0] == "failed"
    nowhere = refused(guest, "filesystem_write_file", path="/tmp/x", content="x")
    assert (nowhere[0], "/home/user" in nowhere[1]) == ("failed", True)
    path = f"{folder}/a text.txt"
    edits = [{"oldText": "last line", "newText": "the end"}, {"oldText": "שלום", "newText": "👋"}]
    shown = done(guest, "filesystem_edit_file", path=path, edits=edits, dryRun=True)
    assert "+the end" in shown
    assert guest.get(path) == TEXT.encode()
    done(guest, "filesystem_edit_file", path=path, edits=edits)
    expected = TEXT.replace("last line", "the end").replace("שלום", "👋")
    assert guest.get(path) == expected.encode()
    missing = [{"oldText": "nothing of this kind", "newText": "x"}]
    assert refused(guest, "filesystem_edit_file", path=path, edits=missing)[0] == "failed"
    assert guest.get(path) == expected.encode()
    misspelt = [{"old": "a", "newText": "b"}]
    assert refused(guest, "filesystem_edit_file", path=path, edits=misspelt)[0] == "bad_arguments"


@proves(
    "stat and find, run in the desktop",
    filesystem_create_directory="the folder and its parents exist, also after a second call",
    filesystem_move_file="the file has its new name, and not its old one",
)
def test_folders_are_made_and_files_moved(guest: Guest, folder: str) -> None:
    for _ in range(2):
        done(guest, "filesystem_create_directory", path=f"{folder}/x y/ü/z")
        assert read(guest, "stat", "-c", "%F", f"{folder}/x y/ü/z") == "directory"
    taken = refused(guest, "filesystem_create_directory", path=f"{folder}/a text.txt")
    assert taken[0] == "failed"
    new = f"{folder}/x y/renamed 🎉.txt"
    done(guest, "filesystem_move_file", source=f"{folder}/a text.txt", destination=new)
    assert guest.get(new) == TEXT.encode()
    assert read(guest, "find", folder, "-name", "a text.txt") == ""
    onto = refused(
        guest, "filesystem_move_file", source=new, destination=f"{folder}/below/deep.log"
    )
    assert onto[0] == "failed"
    assert guest.get(f"{folder}/below/deep.log") == b"x" * 3000


@proves(
    "ls, find and stat, run in the desktop",
    filesystem_list_directory="the names that ls lists, marked by kind",
    filesystem_list_directory_with_sizes="the sizes that stat reports, largest first",
    filesystem_directory_tree="the paths that find lists, without the excluded ones",
    filesystem_search_files="the paths that find finds",
    filesystem_get_file_info="size, permissions and kind as stat reports them",
)
def test_folders_are_listed_searched_and_looked_at(guest: Guest, folder: str) -> None:
    listed = done(guest, "filesystem_list_directory", path=folder).splitlines()
    names = read(guest, "ls", "-A", folder).splitlines()
    assert sorted(entry.partition(" ")[2] for entry in listed) == sorted(names)
    assert "[DIR] below" in listed
    assert "[FILE] a text.txt" in listed
    assert refused(guest, "filesystem_list_directory", path=f"{folder}/none")[0] == "failed"

    guest.put(f"{folder}/large", b"x" * 2048)
    sizes = done(guest, "filesystem_list_directory_with_sizes", path=folder, sortBy="size")
    assert sizes.index("large") < sizes.index("a text.txt")
    assert "2.00 KB" in sizes
    by_word = refused(guest, "filesystem_list_directory_with_sizes", path=folder, sortBy="age")
    assert by_word[0] == "bad_arguments"

    read(guest, "rm", f"{folder}/out")
    tree = json.loads(done(guest, "filesystem_directory_tree", path=folder))
    assert {item["name"]: item["type"] for item in tree} == {
        "a text.txt": "file", "below": "directory", "large": "file"
    }  # fmt: skip
    (below,) = (item for item in tree if item["name"] == "below")
    assert [item["name"] for item in below["children"]] == ["deep.log"]
    without = done(
        guest, "filesystem_directory_tree", path=folder, excludePatterns=["*.txt", "below"]
    )
    assert [item["name"] for item in json.loads(without)] == ["large"]
    assert refused(guest, "filesystem_directory_tree", path="/etc")[0] == "failed"

    result = done(guest, "filesystem_search_files", path=folder, pattern="**/*.log")
    assert result == read(guest, "find", folder, "-name", "*.log")
    none = done(
        guest,
        "filesystem_search_files",
        path=folder,
        pattern="**/*.log",
        excludePatterns=["below/**"],
    )
    assert none == "No matches found"
    assert refused(guest, "filesystem_search_files", path="/", pattern="*")[0] == "failed"

    about = done(guest, "filesystem_get_file_info", path=f"{folder}/below/deep.log")
    size, mode = read(guest, "stat", "-c", "%s %a", f"{folder}/below/deep.log").split()
    assert f"size: {size}\n" in about
    assert f"permissions: {mode}" in about
    assert "isFile: true" in about
    assert refused(guest, "filesystem_get_file_info", path=f"{folder}/none")[0] == "failed"


@proves(
    "what the server then lets be read, and what not",
    filesystem_list_allowed_directories="the home folder, and nothing else",
)
def test_only_the_home_folder_is_open(guest: Guest, folder: str) -> None:
    answer = done(guest, "filesystem_list_allowed_directories")
    assert answer.splitlines() == ["Allowed directories:", "/home/user"]
    for path in ("/etc/passwd", "~/../../etc/passwd", f"{folder}/out/passwd", "C:\\x"):
        code, text = refused(guest, "filesystem_read_text_file", path=path)
        assert (code, "Access denied" in text) == ("failed", True)
    asked = refused(guest, "filesystem_list_allowed_directories", path="/")
    assert asked[0] == "bad_arguments"
