"""Other stand-ins: scripts, archives, pictures, videos, extensions, profiles."""

from __future__ import annotations

import json
from pathlib import Path

import av
import numpy
from odf.opendocument import OpenDocumentSpreadsheet
from odf.table import Table, TableCell, TableRow
from odf.text import P

from tests.evaluators.osworld.makers import tarred, zipped
from tests.tasks.osworld.books import Files, Make, said
from tests.tasks.osworld.papers import paper, picture

__all__ = ["THINGS"]


def pictured(colour: str, kind: str = "PNG", size: tuple[int, int] = (64, 48)) -> Make:
    """A picture."""
    return lambda path: path.write_bytes(picture(colour, size, kind))


def archive(members: dict[str, bytes | str]) -> Make:
    """A ZIP archive of these files."""
    return lambda path: zipped(path, members)


def film(path: Path) -> None:
    """Two minutes of silent video with a moving block."""
    with av.open(str(path), "w", format="mp4") as container:
        stream = container.add_stream("mpeg4", rate=2)
        stream.width, stream.height, stream.pix_fmt = 320, 240, "yuv420p"
        for number in range(240):
            pixels = numpy.full((240, 320, 3), 40, dtype=numpy.uint8)
            pixels[100:140, number : number + 40] = (220, 180, 40)
            for packet in stream.encode(av.VideoFrame.from_ndarray(pixels, format="rgb24")):
                container.mux(packet)
        for packet in stream.encode():
            container.mux(packet)


def table(path: Path) -> None:
    """An OpenDocument spreadsheet."""
    content = OpenDocumentSpreadsheet()
    sheet = Table(name="Sheet1")
    for line in PEOPLE:
        row = TableRow()
        for item in line:
            cell = TableCell(valuetype="string")
            cell.addElement(P(text=item))
            row.addElement(cell)
        sheet.addElement(row)
    content.spreadsheet.addElement(sheet)
    content.save(str(path))


def extension(path: Path) -> None:
    """A VS Code extension that does nothing."""
    package = {
        "name": "test", "publisher": "undefined_publisher", "version": "0.0.1",
        "engines": {"vscode": "^1.60.0"},
    }  # fmt: skip
    manifest = (
        '<PackageManifest Version="2.0.0" '
        'xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011"><Metadata>'
        '<Identity Language="en-US" Id="test" Version="0.0.1" Publisher="undefined_publisher"/>'
        "<DisplayName>test</DisplayName><Description>nothing</Description></Metadata>"
        '<Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation>'
        '<Dependencies/><Assets><Asset Type="Microsoft.VisualStudio.Code.Manifest" '
        'Path="extension/package.json"/></Assets></PackageManifest>'
    )
    kinds = (
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="json" ContentType="application/json"/>'
        '<Default Extension="vsixmanifest" ContentType="text/xml"/></Types>'
    )
    zipped(
        path,
        {
            "[Content_Types].xml": kinds,
            "extension.vsixmanifest": manifest,
            "extension/package.json": json.dumps(package),
        },
    )


def mailbox(path: Path) -> None:
    """A Thunderbird profile with one offline account, at the path that OSWorld's tasks use."""
    profile = "t5q2a5hp.default-release"
    place = "/usr/lib/thunderbird"
    members = {
        "profiles.ini": "[General]\nStartWithLastProfile=1\nVersion=2\n\n[Profile0]\n"
        f"Name=default-release\nIsRelative=1\nPath={profile}\nDefault=1\n",
        f"{profile}/compatibility.ini": f"[Compatibility]\nLastPlatformDir={place}\n"
        f"LastAppDir={place}\n",
        f"{profile}/prefs.js": "".join(
            f'user_pref("{name}", {json.dumps(value)});\n' for name, value in PREFERENCES.items()
        ),
    }
    tarred(path, {f".thunderbird/{name}": item.encode() for name, item in members.items()})


PREFERENCES = {
    "mail.account.account1.identities": "id1",
    "mail.account.account1.server": "server1",
    "mail.account.account2.server": "server2",
    "mail.accountmanager.accounts": "account1,account2",
    "mail.accountmanager.defaultaccount": "account1",
    "mail.accountmanager.localfoldersserver": "server2",
    "mail.identity.id1.fullName": "Anonym",
    "mail.identity.id1.useremail": "anonym@example.org",
    "mail.identity.id1.valid": True,
    "mail.server.server1.check_new_mail": False,
    "mail.server.server1.hostname": "mail.example.org",
    "mail.server.server1.login_at_startup": False,
    "mail.server.server1.name": "anonym@example.org",
    "mail.server.server1.type": "pop3",
    "mail.server.server1.userName": "anonym",
    "mail.server.server2.hostname": "Local Folders",
    "mail.server.server2.name": "Local Folders",
    "mail.server.server2.type": "none",
    "mail.server.server2.userName": "nobody",
    "mail.shell.checkDefaultClient": False,
    "mail.rights.version": 1,
}
PEOPLE = [["Name", "Town"], ["Ada", "Turin"], ["Ben", "Lima"]]
COPIES = "mkdir -p dir1 dir2 dir3 && echo one > file1\n"
COPIED = """for each in dir1 dir2 dir3; do
    [ -f $each/file1 ] && echo "Success: file1 exists in $each." || echo "Fail: $each"
done
"""
TREE = """mkdir -p test_environment/a/b test_environment/c && cd test_environment
touch a/one_failed.ipynb a/b/two_failed.ipynb c/three.ipynb
"""
FAILS = """cd ~/test_environment/fails 2>/dev/null
[ "$(find . -type f | sort | tr '\\n' ' ')" = "./a/b/two_failed.ipynb ./a/one_failed.ipynb " ] &&
    echo "Evaluation successful." || echo "Evaluation failed."
"""
SUM = """def add(one, other):
    # complete this
    pass

print(add(2, 3))
"""
WORDS = "A text is a text, and text after text.\nNo other word.\n"

THINGS: dict[str, Files] = {
    "gimp-72f83cdc": {"berry.jpeg": pictured("orange", "JPEG", (320, 240))},
    "multi_apps-716a6079": {"Secret document.docx": paper("Nobody is to read this.")},
    "multi_apps-ee9a3c83": {
        "file_example_ODS_5000.ods": table,
        "file_example_ODS_5000.csv": said("".join(",".join(row) + "\n" for row in PEOPLE)),
    },
    "multi_apps-f918266a": {
        "calculator.zip": archive({"calculator.py": SUM}),
        "log_Gold.txt": said("5\n"),
    },
    "os-23393935": {
        "monk252520thailand252520wat252520arun252520scaled25255B225255D.jpg": pictured(
            "red", "JPEG"
        ),
        "hong-kong-china.jpg": pictured("blue", "JPEG"),
        "hk_group_photo.jpg": pictured("green", "JPEG"),
        "us_3.png": pictured("gray"),
        "emnlp2023.jpg": pictured("olive", "JPEG"),
    },
    "os-5c1075ca": {"setup.sh": said(f"#!/bin/bash\n{TREE}"), "eval.sh": said(FAILS)},
    "os-5ea617a3": {"poster_party_night.webp": pictured("purple", "WEBP")},
    "os-6f56bf42": {"setup.sh": said(f"#!/bin/bash\n{COPIES}"), "eval.sh": said(COPIED)},
    "thunderbird-f201fbc3": {"thunderbird-profile.tar.gz": mailbox},
    "vlc-8d9fd4e2": {"Optimus - Gen 2.mp4": film},
    "vs_code-0512bb38": {"test.vsix": extension},
    "vs_code-0ed39f63": {
        "vscode_replace_text.txt": said(WORDS),
        "vscode_replace_text_gold.txt": said(WORDS.replace("text", "test")),
    },
    "vs_code-70745df8": {
        "HW-8-main-20240320T121653Z-001.zip": archive({"HW-8-main/main.py": "print(8)\n"})
    },
    "vs_code-c6bf789c": {
        "hw_python_oop-master-20240320T121244Z-001.zip": archive(
            {"hw_python_oop-master/main.py": "print()\n"}
        )
    },
}
