"""The stages propose and filter: the model solves a task by running code in a reverted guest, in
several turns, then condenses the code into one program, which must solve the task by itself."""

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
from ambidex.toolgen.stages.context import StageContext, StageReport, task_of

__all__ = ["condense", "propose", "score_of"]

TURNS = 12
"""Maximum turns of `propose`."""
CONDENSE_TURNS = 3
LONGEST = 4000
"""Maximum characters of a program's output, and of its errors, that the model sees."""
SETTLE = 5.0
"""Seconds to wait at most for a still screen."""
CODE = "evidence/filter/code.py"
TURNS_FILE = "evidence/propose/turns.json"


def propose(context: StageContext) -> StageReport:
    """Let the model solve the task by running code, and store the code and its output. A candidate
    without a task passes: its wish is the proposal."""
    task = task_of(context.candidate, context.catalogue)
    if task is None:
        return StageReport(
            Outcome.PASSED, f"proposed from a {context.candidate.origin}; no code yet"
        )
    words = prompt(
        "propose",
        folder=FOLDER,
        instruction=task.spec.instruction,
        turns=TURNS,
        seconds=int(CODE_WITHIN),
    )
    turns: list[dict[str, str]] = []
    with context.machine.fresh(task.spec.snapshot) as guest:
        set_stage(task, guest)
        before = _screenshot(context, guest, "propose-before")
        messages: list[Message] = [system(words), user("This is the screen.", picture(before))]
        for _ in range(TURNS):
            answer = context.conversation.ask("propose", messages)
            code = [block for block in blocks(answer) if block.language in ("python", "bash")]
            messages.append({"role": "assistant", "content": answer})
            if not code:
                if "DONE" in answer:
                    break
                messages.append(user("Answer with one ```python or ```bash block, or with DONE."))
                continue
            turns.append(_run_turn(guest, code[0]))
            png = guest.screenshot(settle=SETTLE).png()
            messages.append(user(turns[-1]["said"], picture(png)))
        else:
            context.folder.put(TURNS_FILE, _json(turns))
            return StageReport(
                Outcome.FAILED, f"not done after {TURNS} turns", evidence=(TURNS_FILE,)
            )
        _screenshot(context, guest, "propose-after")
        score = score_of(task, guest, context, "propose")
    context.folder.put(TURNS_FILE, _json(turns))
    finding = Finding(0, "score", f"the task's score is {score.value:g}: {score.reason}", False)
    evidence = (TURNS_FILE, "pictures/propose-before.png", "pictures/propose-after.png")
    if not turns:
        reason = "the model reported success without running anything"
        return StageReport(Outcome.FAILED, reason, (finding,), evidence)
    reason = f"the model reported success after {len(turns)} programs"
    return StageReport(Outcome.PASSED, reason, (finding,), evidence)


def condense(context: StageContext) -> StageReport:
    """Let the model condense the code into one program. It passes if that program scores 1 by
    itself in a freshly reverted guest, and doing nothing scores 0."""
    task = task_of(context.candidate, context.catalogue)
    if task is None:
        return StageReport(Outcome.PASSED, "no task to solve")
    with context.machine.fresh(task.spec.snapshot) as guest:
        set_stage(task, guest)
        idle = score_of(task, guest, context, "filter-noop")
    if idle.value:
        reason = f"doing nothing scores {idle.value:g}: the task proves nothing ({idle.reason})"
        return StageReport(Outcome.FAILED, reason)
    turns = json.loads((context.folder.path / TURNS_FILE).read_text(encoding="utf-8"))
    transcript = "\n\n".join(
        f"```{turn['language']}\n{turn['code']}```\n{turn['said']}" for turn in turns
    )
    words = prompt("filter", folder=FOLDER, instruction=task.spec.instruction, turns=transcript)
    messages: list[Message] = [user(words)]
    findings: list[Finding] = []
    for _ in range(CONDENSE_TURNS):
        answer = context.conversation.ask("filter", messages)
        messages.append({"role": "assistant", "content": answer})
        code = [block for block in blocks(answer) if block.language == "python"]
        if not code:
            messages.append(user("Answer with one ```python block."))
            continue
        context.folder.put(CODE, code[-1].text.encode())
        with context.machine.fresh(task.spec.snapshot) as guest:
            set_stage(task, guest)
            turn = _run_turn(guest, code[-1])
            score = score_of(task, guest, context, "filter")
        if score.value == 1:
            return StageReport(
                Outcome.PASSED,
                f"the program scores 1 by itself, doing nothing 0 ({idle.reason})",
                tuple(replace(finding, refused=False) for finding in findings),
                (CODE,),
            )
        result = f"the program scores {score.value:g} by itself: {score.reason}"
        findings.append(Finding(0, "does the task", f"{result}\n{turn['said']}"))
        messages.append(user(f"Not solved: {result}. Its output:\n{turn['said']}\nFix it."))
    reason = findings[-1].text.splitlines()[0] if findings else "no code in the answers"
    return StageReport(Outcome.FAILED, reason, tuple(findings), (CODE,) if findings else ())


def score_of(task: Task, guest: Guest, context: StageContext, name: str) -> Score:
    """Collect the evidence and judge it. The evidence is stored in evidence/<name>/collected/, and
    the desktop continues afterwards."""
    with tempfile.TemporaryDirectory() as scratch:
        evidence = Path(scratch) / "collected"
        collect(task, guest, evidence, None)
        guest.thaw()
        score = judge(task, evidence, Stop.DONE).score
        target = context.folder.path / "evidence" / name / "collected"
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(evidence, target)
    return score


def _run_turn(guest: Guest, block: Block) -> dict[str, str]:
    output = run_code(guest, block.language, block.text)
    return {"language": block.language, "code": block.text, "said": _output_text(output)}


def _output_text(output: CommandResult) -> str:
    status = "timed out" if output.timed_out else f"exit status {output.returncode}"
    parts = [f"({status})"]
    for name, text in (("output", output.stdout), ("errors", output.stderr)):
        if text.strip():
            parts.append(f"{name}:\n{text.strip()[-LONGEST:]}")
    return "\n".join(parts)


def _screenshot(context: StageContext, guest: Guest, name: str) -> bytes:
    png = guest.screenshot(settle=SETTLE).png()
    context.folder.put(f"pictures/{name}.png", png)
    return png


def _json(content: object) -> bytes:
    return json.dumps(content, ensure_ascii=False, indent=1).encode()
