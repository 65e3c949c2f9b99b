"""What the verifiers of these tasks share: the state after setup, and a comparison with the forge.

A state is {PROJECT: {"description", "issues": {KEY: {...}}, "pull_requests": {KEY: {...}},
"files": {BRANCH: {PATH: text}}}}. KEY is the number, of new ones `+Title`. Blanks around a text and
the comments that the forge writes about a change do not count.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

NOTE = re.compile(r"\*\*Metadata Update from @|Pull-Request has been \w+ by ")
KINDS = {
    "issues": ("issues", "status=all"),
    "pull_requests": ("requests", "status=All"),
}


def issue(title, content="", status="Open", assignee=None, tags=(), comments=()):
    """An issue."""
    texts = {"title": _plain(title), "content": _plain(content), "status": status}
    lists = {"tags": sorted(tags), "comments": [_plain(text) for text in comments]}
    return {**texts, "assignee": assignee, **lists}


def pull_request(title, from_branch, description="", to="main", status="Open", comments=()):
    """A pull request."""
    texts = {"title": _plain(title), "content": _plain(description), "status": status}
    branches = {"from": from_branch, "to": to}
    return {**texts, **branches, "comments": [_plain(text) for text in comments]}


def after_setup():
    """The state that the calls in the task's `meta.json` make."""
    meta = json.loads((Path(sys.argv[0]).parent / "meta.json").read_text())
    state = {}
    for step in meta["ambidex"]["setup"]:
        given = step["with"]
        if step["call"] == "forge_create_project":
            readme = _plain(f"# {given['name']}\n\n{given['description']}")
            state[given["name"]] = {
                "description": given["description"],
                "issues": {},
                "pull_requests": {},
                "files": {"main": {"README.md": readme}},
            }
            continue
        project = state[given.pop("project")]
        issues, requests, files = (project[k] for k in ("issues", "pull_requests", "files"))
        next_key = str(len(issues) + len(requests) + 1)
        match step["call"].removeprefix("forge_"):
            case "create_issue":
                issues[next_key] = issue(**given)
            case "comment_on_issue":
                issues[str(given["number"])]["comments"].append(_plain(given["comment"]))
            case "set_issue_status":
                issues[str(given["number"])]["status"] = given["status"]
            case "create_pull_request":
                requests[next_key] = pull_request(**given)
            case "write_file":
                if "from_branch" in given:
                    files[given["branch"]] = dict(files[given["from_branch"]])
                files[given.get("branch", "main")][given["path"]] = _plain(given["content"])
            case other:
                raise ValueError(f"{other} is not known here")
    return state


def _plain(text):
    return (text or "").replace("\r\n", "\n").strip()


def _ask(path):
    token = Path(os.environ["FORGE_TOKEN_FILE"]).read_text().strip()
    address = f"{os.environ['FORGE_URL']}/api/0/{path}"
    request = urllib.request.Request(address, headers={"Authorization": f"token {token}"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def _now(known):
    state = {}
    for project in _ask("projects?per_page=100")["projects"]:
        name = project["fullname"]
        state[name] = {"description": project["description"], "files": _files(name)}
        before = known.get(name, {"issues": {}, "pull_requests": {}})
        for kind, (key, query) in KINDS.items():
            path = f"{name}/{kind.replace('_', '-')}?{query}&per_page=100"
            items = [_item(kind, one) for one in _ask(path)[key]]
            state[name][kind] = {
                number if number in before[kind] else f"+{item['title']}": item
                for number, item in items
            }
            if len(state[name][kind]) < len(items):
                finish_with([f"{name} has new {kind} of the same title"])
    return state


def _item(kind, one):
    comments = [c["comment"] for c in one["comments"] if not NOTE.match(c["comment"])]
    if kind == "issues":
        assignee = one["assignee"] and one["assignee"]["name"]
        item = issue(one["title"], one["content"], one["status"], assignee, one["tags"], comments)
        return str(one["id"]), item | ({"private": True} if one["private"] else {})
    item = pull_request(
        one["title"], one["branch_from"], one["initial_comment"], one["branch"], one["status"],
        comments,
    )  # fmt: skip
    return str(one["id"]), item


def _files(project):
    with tempfile.TemporaryDirectory() as folder:
        address = f"{os.environ['FORGE_URL']}/{project}.git"
        _git(None, "clone", "--quiet", "--mirror", address, folder)
        branches = _git(folder, "for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads")
        return {
            branch: {
                path: _plain(_git(folder, "show", f"refs/heads/{branch}:{path}"))
                for path in _git(folder, "ls-tree", "-rz", "--name-only", branch).split("\0")
                if path
            }
            for branch in branches.split()
        }


def _git(folder, *words):
    place = [f"--git-dir={folder}"] if folder else []
    environment = {"PATH": os.environ["PATH"], "HOME": "/", "GIT_TERMINAL_PROMPT": "0"}
    done = subprocess.run(
        ["git", *place, *words], env=environment, stdout=subprocess.PIPE, check=True
    )
    return done.stdout.decode(errors="replace")


def finish(expected, ignored=()):
    """Exit with status 0 if the forge is in this state, apart from the paths `ignored`; otherwise
    print what differs."""
    differences = _differences(expected, _now(after_setup()))
    finish_with([text for path, text in differences if path not in ignored])


def finish_with(wrong):
    """Print what is wrong and exit."""
    print("\n".join(wrong) or "all right")
    sys.exit(bool(wrong))


def _differences(expected, seen, path=""):
    if isinstance(expected, dict) and isinstance(seen, dict):
        for key in sorted(expected.keys() | seen.keys()):
            yield from _differences(expected.get(key), seen.get(key), f"{path}/{key}")
    elif expected != seen:
        yield path[1:], f"{path[1:]} is {seen!r}, not {expected!r}"
