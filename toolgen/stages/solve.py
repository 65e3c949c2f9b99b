"""Propose and filter: a task is solved in code, in several turns, within a reverted guest; then the
code is condensed, and kept only if it does the task alone."""

from __future__ import annotations

import json
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path

from ambidex.evaluators import Score
from ambidex.host import Stop
from ambidex.host.client.answers import CommandResult
from ambidex.host.client.guest import Guest
from ambidex.host.loop.judge import judge
from ambidex.host.loop.stage import collect, set_stage
from ambidex.host.models.prompts import prompt
from ambidex.tasks import Task
from ambidex.toolgen import Finding, Outcome
from ambidex.toolgen.guests import CODE_WITHIN, run_code
from ambidex.toolgen.models.answer_blocks import Block, blocks
from ambidex.toolgen.models.asking import Message, picture, system, user
from ambidex.toolgen.models.prompts import FOLDER
from ambidex.toolgen.stages.context import Ended, Shop, task_of

__all__ = ["condense", "propose", "score_of"]

TURNS = 12
CONDENSINGS = 3
LONGEST = 4000
"""Characters of an output that the model sees."""
SETTLE = 5.0
CODE = "evidence/filter/code.py"
TURNS_FILE = "evidence/propose/turns.json"


def propose(shop: Shop) -> Ended:
    """Let the model solve the task by code; what was run and what came of it is kept. Without a
    task the wish is the proposal."""
    task = task_of(shop.candidate, shop.catalogue)
    if task is None:
        return Ended(Outcome.PASSED, f"proposed from a {shop.candidate.origin}; no code yet")
    words = prompt(
        "propose",
        folder=FOLDER,
        instruction=task.spec.instruction,
        turns=TURNS,
        seconds=int(CODE_WITHIN),
    )
    turns: list[dict[str, str]] = []
    with shop.workplace.fresh(task.spec.snapshot) as guest:
        set_stage(task, guest)
        before = _pictured(shop, guest, "propose-before")
        messages: list[Message] = [system(words), user("This is the screen.", picture(before))]
        for _ in range(TURNS):
            answer = shop.talk.ask("propose", messages)
            code = [each for each in blocks(answer) if each.language in ("python", "bash")]
            messages.append({"role": "assistant", "content": answer})
            if not code:
                if "DONE" in answer:
                    break
                messages.append(user("Answer with one ```python or ```bash block, or with DONE."))
                continue
            turns.append(_turn(guest, code[0]))
            png = guest.screenshot(settle=SETTLE).png()
            messages.append(user(turns[-1]["said"], picture(png)))
        else:
            shop.folder.put(TURNS_FILE, _json(turns))
            return Ended(Outcome.FAILED, f"not done after {TURNS} turns", evidence=(TURNS_FILE,))
        _pictured(shop, guest, "propose-after")
        score = score_of(task, guest, shop, "propose")
    shop.folder.put(TURNS_FILE, _json(turns))
    found = Finding(0, "score", f"the task's evaluator says {score.value:g}: {score.reason}", False)
    evidence = (TURNS_FILE, "pictures/propose-before.png", "pictures/propose-after.png")
    if not turns:
        return Ended(Outcome.FAILED, "it says that it is done and ran nothing", (found,), evidence)
    return Ended(Outcome.PASSED, f"said to be done after {len(turns)} runs", (found,), evidence)


def condense(shop: Shop) -> Ended:
    """Have the code condensed; it passes if alone, on a fresh revert, it makes the evaluator say 1
    where doing nothing says 0."""
    task = task_of(shop.candidate, shop.catalogue)
    if task is None:
        return Ended(Outcome.PASSED, "no task to hold it against")
    with shop.workplace.fresh(task.spec.snapshot) as guest:
        set_stage(task, guest)
        idle = score_of(task, guest, shop, "filter-noop")
    if idle.value:
        why = f"doing nothing scores {idle.value:g}: the task proves nothing ({idle.reason})"
        return Ended(Outcome.FAILED, why)
    turns = json.loads((shop.folder.path / TURNS_FILE).read_text(encoding="utf-8"))
    told = "\n\n".join(
        f"```{each['language']}\n{each['code']}```\n{each['said']}" for each in turns
    )
    words = prompt("filter", folder=FOLDER, instruction=task.spec.instruction, turns=told)
    messages: list[Message] = [user(words)]
    findings: list[Finding] = []
    for _ in range(CONDENSINGS):
        answer = shop.talk.ask("filter", messages)
        messages.append({"role": "assistant", "content": answer})
        code = [each for each in blocks(answer) if each.language == "python"]
        if not code:
            messages.append(user("Answer with one ```python block."))
            continue
        shop.folder.put(CODE, code[-1].text.encode())
        with shop.workplace.fresh(task.spec.snapshot) as guest:
            set_stage(task, guest)
            turn = _turn(guest, code[-1])
            score = score_of(task, guest, shop, "filter")
        if score.value == 1:
            return Ended(
                Outcome.PASSED,
                f"alone it scores 1, doing nothing 0 ({idle.reason})",
                tuple(replace(each, refused=False) for each in findings),
                (CODE,),
            )
        said = f"alone it scores {score.value:g}: {score.reason}"
        findings.append(Finding(0, "does the task", f"{said}\n{turn['said']}"))
        messages.append(user(f"Run alone, {said}. It said:\n{turn['said']}\nMend it."))
    reason = findings[-1].text.splitlines()[0] if findings else "no code in the answers"
    return Ended(Outcome.FAILED, reason, tuple(findings), (CODE,) if findings else ())


def score_of(task: Task, guest: Guest, shop: Shop, kept: str) -> Score:
    """Collect now and judge; what was collected is kept under evidence/<kept>/collected/. The
    desktop runs again afterwards."""
    with tempfile.TemporaryDirectory() as scratch:
        evidence = Path(scratch) / "collected"
        collect(task, guest, evidence, None)
        guest.thaw()
        score = judge(task, evidence, Stop.DONE).score
        target = shop.folder.path / "evidence" / kept / "collected"
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(evidence, target)
    return score


def _turn(guest: Guest, block: Block) -> dict[str, str]:
    ran = run_code(guest, block.language, block.text)
    return {"language": block.language, "code": block.text, "said": _said(ran)}


def _said(ran: CommandResult) -> str:
    ended = "it took too long and was ended" if ran.timed_out else f"exit status {ran.returncode}"
    parts = [f"({ended})"]
    for name, text in (("output", ran.stdout), ("errors", ran.stderr)):
        if text.strip():
            parts.append(f"{name}:\n{text.strip()[-LONGEST:]}")
    return "\n".join(parts)


def _pictured(shop: Shop, guest: Guest, name: str) -> bytes:
    png = guest.screenshot(settle=SETTLE).png()
    shop.folder.put(f"pictures/{name}.png", png)
    return png


def _json(said: object) -> bytes:
    return json.dumps(said, ensure_ascii=False, indent=1).encode()
