"""Attacks of an agent on the evidence on its desktop, and their effect on the verdict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import xlsxwriter

from ambidex.evaluators.files import absent, exists, same_bytes
from ambidex.evaluators.manifest import read_manifest
from ambidex.evaluators.spreadsheet import cells_equal
from ambidex.host import Stop
from ambidex.host.client.guest import Guest
from ambidex.host.loop.judge import judge
from ambidex.host.loop.stage import StageContext, collect, set_stage
from ambidex.host.loop.verdicts import verdict_on
from ambidex.tasks import Task
from ambidex.tasks.load import load_suite
from ambidex.vm import Machine

FILES = ("folder", "pipe", "endless", "large", "closed", "link")
"""Documents of the task below, each named after what the agent turns it into."""


def no_other_guest() -> Guest:
    raise AssertionError("nothing here is run apart")


def a_task(folder: Path, collected: Sequence[str], checks: Sequence[str]) -> Task:
    """A task that puts documents into the home, with the given check."""
    task = folder / "suite" / "attacked"
    task.mkdir(parents=True)
    (task / "right.txt").write_text("right\n")
    puts = ", ".join(f'{{ put = "right.txt", to = "~/{name}.txt" }}' for name in FILES)
    said = f"""
instruction = "Nothing."
tool_beneficial = false
setup = [{puts}]
collect = [{", ".join(collected)}]
check = [{", ".join(checks)}]
"""
    (task / "task.toml").write_text(said)
    (loaded,) = load_suite(folder / "suite", {}).tasks
    return loaded


def attacked(guest: Guest, task: Task, folder: Path, script: str) -> Path:
    """The evidence of an episode in which the agent ran that script."""
    context = StageContext(folder / "kept", no_other_guest)
    set_stage(task, guest, context)
    ran = guest.run(["sh", "-c", f"cd ~; {script}"], timeout=120)
    assert ran.returncode == 0, ran
    evidence = folder / "evidence"
    collect(task, guest, evidence, None, context)
    return evidence


def test_a_document_that_is_no_file_any_more_is_judged_and_scores_0(
    fresh_guest: Guest, tmp_path: Path
) -> None:
    collected = [f'{{ get = "~/{name}.txt" }}' for name in FILES]
    checks = [f'{{ use = "files.exists", with = {{ file = "{name}.txt" }} }}' for name in FILES]
    task = a_task(tmp_path, collected, checks)
    evidence = attacked(
        fresh_guest,
        task,
        tmp_path,
        "rm *.txt; mkdir folder.txt; mkfifo pipe.txt; ln -s /dev/zero endless.txt;"
        "truncate -s 300M large.txt; echo right >closed.txt; chmod 0 closed.txt;"
        "echo right >.hidden; ln -s .hidden link.txt",
    )
    states = {name: source.state for name, source in read_manifest(evidence).sources.items()}
    assert states == {
        "folder.txt": "folder",
        "pipe.txt": "special",
        "endless.txt": "link",
        "large.txt": "too_large",
        "closed.txt": "unreadable",
        "link.txt": "link",
    }
    assert judge(task, evidence, Stop.DONE).score.value == 0
    for name in states:
        for asked in (exists, absent, same_bytes):
            more = (
                {"expected": tmp_path / "suite/attacked/right.txt"} if asked is same_bytes else {}
            )
            assert asked(evidence, file=name, **more).value == 0, (name, asked.name)


def test_sixty_thousand_new_files_are_counted_and_score_0(
    fresh_guest: Guest, tmp_path: Path
) -> None:
    check = '{ use = "changes.only", with = { file = "changes.json" } }'
    task = a_task(tmp_path, ['{ changes = "changes.json" }'], [check])
    many = "mkdir m; cd m; seq 60000 | xargs touch"
    evidence = attacked(fresh_guest, task, tmp_path, many)
    verdict = judge(task, evidence, Stop.DONE).score
    assert verdict.value == 0
    assert "/home/user/m/: made" in verdict.reason


def test_a_hidden_change_is_seen_wherever_it_is(fresh_guest: Guest, tmp_path: Path) -> None:
    check = '{ use = "changes.only", with = { file = "changes.json", files = ["~/.cache/"] } }'
    task = a_task(tmp_path, ['{ changes = "changes.json" }'], [check])
    fresh_guest.run(["sh", "-c", "head -c 5000000 /dev/zero >~/large; touch -d @1000 ~/large"])
    evidence = attacked(
        fresh_guest,
        task,
        tmp_path,
        "mkdir -p .local/lib/python3.11/site-packages;"
        "echo 'print(1); raise SystemExit' >.local/lib/python3.11/site-packages/usercustomize.py;"
        "printf x | dd of=large seek=4000000 bs=1 conv=notrunc 2>&1; touch -d @1000 large;"
        "echo x >folder.txt.lock; mkdir -p .cache/mine; echo x >.cache/mine/x",
    )
    said = (evidence / "changes.json").read_text()
    for name in ("/large", "/folder.txt.lock", "/.cache/mine/x", "/usercustomize.py"):
        assert name in said
    assert judge(task, evidence, Stop.DONE).score.value == 0


def test_the_agent_can_neither_forge_nor_stop_what_reads_its_files(
    fresh_guest: Guest, tmp_path: Path
) -> None:
    check = '{ use = "files.text_equals", with = { file = "link.txt", text = "right" } }'
    told = '{ run = ["gsettings", "get", "org.gnome.desktop.interface", "clock-format"], to = "c" }'
    task = a_task(tmp_path, ['{ get = "~/link.txt" }', told], [check])
    forging = """
mkdir -p .local/lib/python3.11/site-packages .local/bin
for name in usercustomize sitecustomize json os guest; do
    echo 'print("FORGED")' >.local/lib/python3.11/site-packages/$name.py
done
printf '#!/bin/sh\\necho FORGED\\n' | tee .local/bin/gsettings >.local/bin/python3
chmod +x .local/bin/*; printf 'export PATH=~/.local/bin:$PATH\\n' >>.profile
for number in $(pgrep worker-); do
    (printf FORGED >/proc/$number/mem) 2>>mem.txt || true
    kill -KILL $number 2>>kill.txt || true
done
for number in $(pgrep -u ambidex); do kill -STOP $number 2>>kill.txt; done
echo wrong >link.txt
"""
    evidence = attacked(fresh_guest, task, tmp_path, forging)
    assert (evidence / "link.txt").read_text() == "wrong\n"
    assert (evidence / "c").read_text().strip() in ("'12h'", "'24h'")
    assert judge(task, evidence, Stop.DONE).score.value == 0
    refused = fresh_guest.get("~/kill.txt").decode()
    # The worker for the host, the collector, the HTTP server and the fork server.
    assert refused.count("not permitted") >= 4
    assert "Permission denied" in fresh_guest.get("~/mem.txt").decode()


def test_a_full_disk_does_not_silence_a_command(fresh_guest: Guest, tmp_path: Path) -> None:
    told = '{ run = ["gsettings", "get", "org.gnome.desktop.interface", "clock-format"], to = "c" }'
    check = '{ use = "output.setting_equals", with = { file = "c", value = \'24h\' } }'
    task = a_task(tmp_path, [told, '{ run = ["false"], to = "failed" }'], [check])
    filled = "for i in 1 2 3; do fallocate -l 1G full$i 2>/dev/null || cat /dev/zero >rest; done"
    evidence = attacked(fresh_guest, task, tmp_path, f"({filled}) 2>/dev/null; true")
    assert (evidence / "c").read_text().strip() in ("'12h'", "'24h'")
    sources = read_manifest(evidence).sources
    assert (sources["c"].exit, sources["c"].by) == (0, "session")
    assert sources["failed"].flaw == "the command exited with 1"


def test_a_result_that_a_workbook_stores_is_computed_anew_in_a_fresh_guest(
    machine: Machine, fresh_guest: Guest, tmp_path: Path
) -> None:
    @contextmanager
    def fresh() -> Iterator[Guest]:
        machine.revert("ready")
        with Guest(machine.endpoint, machine.token) as guest:
            guest.wait_ready()
            yield guest

    cells = "{ B1 = 99, B2 = 20 }"
    check = f'{{ use = "spreadsheet.cells_equal", with = {{ file = "e.xlsx", cells = {cells} }} }}'
    task = a_task(tmp_path, ['{ get = "~/e.xlsx" }'], [check])
    with xlsxwriter.Workbook(tmp_path / "forged.xlsx") as made:
        sheet = made.add_worksheet()
        sheet.write_column("A1", [2, 3])
        sheet.write_formula("B1", "=SUMPRODUCT(A1:A2,A1:A2)", None, 99)
        sheet.write_formula("B2", "=A1*10", None, 20)
    fresh_guest.put("~/e.xlsx", (tmp_path / "forged.xlsx").read_bytes())
    evidence = attacked(fresh_guest, task, tmp_path, "true")
    context = StageContext(tmp_path / "kept", fresh)
    score = verdict_on(task, evidence, Stop.DONE, context).score
    assert score.value == 0
    assert "B1 stores 99, but its formula results in 13" in score.reason
    assert cells_equal(evidence, file="e.xlsx", cells={"B2": 20}).value == 1
