"""The harness of a peer: what a host asks of a guest besides its tools."""

from __future__ import annotations

import asyncio
import json
import subprocess
import zlib

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from ambidex.guest import service_questions
from ambidex.guest.evidence import verification
from tests.support.peer.desktop import SIZE, Desktop


def surveyed(desktop: Desktop) -> dict[str, dict[str, str]]:
    """The peer's survey, by part."""
    files = {path.replace("~", "/home/user", 1): f"{zlib.crc32(content)}"
             for path, content in desktop.files.items()}  # fmt: skip
    windows = {f"window {number}": title for number, title in enumerate(desktop.windows)}
    settings = {f"org.cells {cell}": str(value) for cell, value in desktop.cells.items()}
    return {
        "files": files,
        "settings": settings,
        "windows": windows,
        "processes": {"peer 1": "peer"},
    }


def harness_routes(desktop: Desktop) -> list[Route]:
    async def health(_: Request) -> Response:
        checks = {"X": {"ok": desktop.ready, "seen": "fine" if desktop.ready else "no display"}}
        body = {
            "ready": desktop.ready,
            "checks": checks,
            "screen": SIZE if desktop.screen else None,
            "catalogue": "c",
            "user": "u",
        }
        return JSONResponse(body, 200 if desktop.ready else 503)

    async def screenshot(request: Request) -> Response:
        if not desktop.screen:
            error = {"error": {"code": "no_desktop", "message": "no screen", "hint": ""}}
            return JSONResponse(error, 400)
        known, now = request.query_params.get("known", ""), f"f{desktop.frame}"
        header = {
            "id": now, "size": SIZE, "base": None, "rect": [0, 0, *SIZE], "encoding": "zlib",
            "still": True, "waited": desktop.waits, "grab": 0.0, "pointer": [0, 0],
        }  # fmt: skip
        if known == now:
            desktop.sent.append("nothing")
            return Response(status_code=304)
        body = bytes(desktop.pixels)
        if known == f"f{desktop.frame - 1}":
            x, y, width, height = desktop.changed[-1]
            header |= {"base": known, "rect": [x, y, width, height], "encoding": "raw"}
            at = (y * SIZE[0] + x) * 4
            body = body[at : at + 4]
            desktop.sent.append("patch")
        else:
            body = zlib.compress(body, 1)
            desktop.sent.append("whole")
        return Response(body, headers={"Ambidex-Frame": json.dumps(header)})

    async def file(request: Request) -> Response:
        desktop.files[request.query_params["path"]] = await request.body()
        return JSONResponse({"ok": True})

    async def evidence(request: Request) -> Response:
        content = desktop.files.get(request.query_params["path"])
        state = "absent" if content is None else "file"
        about = {"state": state, "size": len(content or b"")}
        return Response(content or b"", headers={"Ambidex-File": json.dumps(about)})

    async def inventory(_: Request) -> Response:
        body = {"files": surveyed(desktop)["files"], "refused": ""}
        return Response(json.dumps(body), media_type="application/json")

    async def freeze(request: Request) -> Response:
        desktop.frozen = request.method == "POST"
        return JSONResponse({"stopped": 1})

    async def run(request: Request) -> Response:
        request_body = await request.json()
        argv = request_body["argv"]
        if argv[:3] == ["python3", "-I", "-"]:
            survey = surveyed(desktop)
            output = json.dumps({part: survey[part] for part in argv[3:]})
            return JSONResponse({"returncode": 0, "stdout": output, "stderr": ""})
        if argv[0] == "printenv":
            return JSONResponse({"returncode": 0, "stdout": "/home/user\n", "stderr": ""})
        if argv[0] == "open":
            desktop.windows.append(argv[1])
            return JSONResponse({"pid": 1})
        if argv[0] == "/usr/bin/python3":
            ran = await asyncio.to_thread(
                subprocess.run, argv, capture_output=True, text=True, check=False
            )
            done = {"returncode": ran.returncode, "stdout": ran.stdout, "stderr": ran.stderr}
            return JSONResponse(done)
        failed = argv[0] == "false"
        return JSONResponse(
            {"returncode": int(failed), "stdout": " ".join(argv), "stderr": "no" * failed,
             "timed_out": False, "truncated": False}
        )  # fmt: skip

    async def wait_window(request: Request) -> Response:
        body = await request.json()
        for title in desktop.windows:
            if body["title"] in title:
                return JSONResponse({"window": {"title": title}})
        message = f"seen instead: {', '.join(desktop.windows)}"
        return JSONResponse({"error": {"code": "timeout", "message": message, "hint": ""}}, 408)

    async def questions(request: Request) -> Response:
        if desktop.questions is None:
            return JSONResponse({"services": [], "questions": []})
        body = await request.json()
        answers = {answer["id"]: answer["text"] for answer in body["answers"]}
        given = {"folder": str(desktop.questions), "answers": answers, "wait": body["wait"]}
        reply = await asyncio.to_thread(service_questions.questions, given, b"")
        found = [{"service": "colleagues", **question} for question in reply.value]
        return JSONResponse({"services": ["colleagues"], "questions": found})

    async def verify(request: Request) -> Response:
        if not desktop.frozen:
            return JSONResponse({"error": {"code": "not_frozen", "message": "freeze first"}}, 409)
        given = json.loads(request.query_params["request"])
        reply = await asyncio.to_thread(verification.verify, given, await request.body())
        header = {"Ambidex-Verification": json.dumps(reply.value)}
        return Response(bytes(reply.body), headers=header)

    async def journal(_: Request) -> Response:
        return PlainTextResponse("served")

    return [
        Route("/harness/health", health),
        Route("/harness/screenshot", screenshot),
        Route("/harness/file", file, methods=["PUT"]),
        Route("/harness/freeze", freeze, methods=["POST", "DELETE"]),
        Route("/harness/evidence/file", evidence),
        Route("/harness/evidence/survey", inventory),
        Route("/harness/run", run, methods=["POST"]),
        Route("/harness/wait_window", wait_window, methods=["POST"]),
        Route("/harness/questions", questions, methods=["POST"]),
        Route("/harness/verify", verify, methods=["POST"]),
        Route("/harness/journal", journal),
    ]
