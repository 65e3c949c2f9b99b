"""Prints everything in the forge as one JSON object, for the evidence.

    {"people": [name],
     "projects": {FULL NAME: {"owner", "description", "private", "parent": name or null,
         "members": {name: access}, "groups": {name: access}, "tags": [name], "milestones": {...},
         "settings": {...}, "head": default branch,
         "refs": {ref: commit}, "trees": {branch: {path: blob}},
         "commits": {id: {"parents", "author", "email", "message"}},
         "issues": {number: {"title", "content", "status", "close_status", "author", "assignee",
             "private", "priority", "milestone", "tags", "depends_on": [number],
             "comments": [{"author", "text"}]}},
         "pull_requests": {number: {"title", "comment", "status", "author", "assignee", "branch",
             "from_branch", "from_project", "commit", "tags", "closed_by",
             "comments": [{"author", "text", "file", "line"}]}}}},
     "blobs": {id: {"size", "sha256", "text": text of at most 64 KiB, or null}}}

The status of a pull request is Open, Closed or Merged. `commit` is what was merged, or the last one
of a pull request that is not merged. Git runs no hook and no program that a repository names.
"""

import contextlib
import hashlib
import json
import os
import sqlite3
import subprocess
import sys
import time

STATE = "/var/lib/pagure"
QUEUE = "/run/forge/queue"
IDLE_WITHIN = 200
"""Seconds for the tasks that are under way: a few take half a minute under emulation."""
TEXT_LIMIT = 1 << 16
GIT = ("git", "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false")
ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_NO_REPLACE_OBJECTS": "1",  # which whoever pushes refs/replace/ could use to deceive
}
ISSUE = """
SELECT i.*, a.user AS author, b.user AS assignee FROM issues i JOIN users a ON a.id = i.user_id
LEFT JOIN users b ON b.id = i.assignee_id WHERE i.project_id = ? ORDER BY i.id
"""
PULL_REQUEST = """
SELECT p.*, a.user AS author, b.user AS assignee, c.user AS closed_by
FROM pull_requests p JOIN users a ON a.id = p.user_id LEFT JOIN users b ON b.id = p.assignee_id
LEFT JOIN users c ON c.id = p.closed_by_id WHERE p.project_id = ? ORDER BY p.id
"""
ISSUE_COMMENTS = """
SELECT u.user AS author, comment AS text FROM issue_comments JOIN users u ON u.id = user_id
WHERE issue_uid = ? ORDER BY issue_comments.id
"""
PULL_REQUEST_COMMENTS = """
SELECT u.user AS author, comment AS text, filename AS file, line FROM pull_request_comments
JOIN users u ON u.id = user_id WHERE pull_request_uid = ? ORDER BY pull_request_comments.id
"""
TAGS = """
SELECT tag FROM {0} JOIN tags_colored t ON t.id = tag_id WHERE {0}.{1} = ? ORDER BY tag
"""


def wait_until_idle():
    """Wait until no task is waiting or under way."""
    deadline = time.monotonic() + IDLE_WITHIN
    while time.monotonic() < deadline:
        ask = ["/usr/bin/redis-cli", "-s", QUEUE]
        orders = b"LLEN celery\nHLEN unacked\n"
        answer = subprocess.run(ask, input=orders, stdout=subprocess.PIPE, check=True).stdout
        if answer.split() == [b"0", b"0"]:
            return
        time.sleep(0.2)
    sys.exit(f"tasks of the forge are not done after {IDLE_WITHIN} s")


def git(repository, *arguments, given=b""):
    """The output of a git command in a bare repository."""
    command = [*GIT, f"--git-dir={repository}", *arguments]
    done = subprocess.run(command, input=given, env=ENVIRONMENT, stdout=subprocess.PIPE, check=True)
    return done.stdout


def objects(repository, ids):
    """The id and content of each object."""
    output = git(repository, "cat-file", "--batch", given="".join(f"{id}\n" for id in ids).encode())
    position = 0
    while position < len(output):
        end = output.index(b"\n", position)
        id, _, size = output[position:end].decode().split()
        position = end + 1 + int(size)
        yield id, output[end + 1 : position]
        position += 1


def commit(content):
    """A commit, from git's own form of it."""
    head, _, message = content.decode(errors="replace").partition("\n\n")
    lines = [line.partition(" ")[::2] for line in head.split("\n")]
    author = next(value for name, value in lines if name == "author")
    name, _, rest = author.rpartition(" <")
    return {
        "parents": [value for name, value in lines if name == "parent"],
        "author": name,
        "email": rest.partition(">")[0],
        "message": message,
    }


def blob(content):
    """A file's content."""
    text = None
    if len(content) <= TEXT_LIMIT and b"\0" not in content:
        with contextlib.suppress(UnicodeDecodeError):
            text = content.decode()
    return {"size": len(content), "sha256": hashlib.sha256(content).hexdigest(), "text": text}


def repository(path, blobs):
    """The refs, files and commits of a repository; adds contents of files to `blobs`."""
    lines = git(path, "for-each-ref", "--format=%(refname) %(objectname)").decode().split("\n")
    refs = dict(line.rsplit(" ", 1) for line in lines if line)
    trees = {}
    for ref, id in refs.items():
        if ref.startswith("refs/heads/"):
            entries = git(path, "ls-tree", "-r", "-z", id).decode(errors="replace").split("\0")
            pairs = (entry.partition("\t")[::2] for entry in entries if entry)
            trees[ref[len("refs/heads/") :]] = {
                name: kind.split()[2] for kind, name in pairs if kind.split()[1] == "blob"
            }
    new = {id for tree in trees.values() for id in tree.values()} - blobs.keys()
    blobs.update((id, blob(content)) for id, content in objects(path, sorted(new)))
    ids = git(path, "rev-list", "--all").decode().split()
    with open(f"{path}/HEAD") as file:
        head = file.read().strip().removeprefix("ref: refs/heads/")
    commits = {id: commit(content) for id, content in objects(path, ids)}
    return {"head": head, "refs": refs, "trees": trees, "commits": commits}


def full_name(project):
    """The name of a project, with its namespace; of a fork, with its owner."""
    name = "/".join(filter(None, (project["namespace"], project["name"])))
    return f"forks/{project['owner']}/{name}" if project["is_fork"] else name


class Forge:
    """The database."""

    def __init__(self, path):
        self.database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        self.database.row_factory = sqlite3.Row
        self.names = {row["id"]: full_name(row) for row in self.project_rows()}

    def rows(self, query, *values):
        """The rows of a query."""
        return [dict(row) for row in self.database.execute(query, values)]

    def column(self, query, *values):
        """The first column of a query."""
        return [row[0] for row in self.database.execute(query, values)]

    def project_rows(self):
        """All projects."""
        return self.rows(
            "SELECT p.*, u.user AS owner FROM projects p JOIN users u ON u.id = p.user_id"
            " ORDER BY p.id"
        )

    def project(self, row):
        """A project without its repository."""
        id = row["id"]
        members = self.database.execute(
            "SELECT u.user, access FROM user_projects JOIN users u ON u.id = user_id"
            " WHERE project_id = ? ORDER BY u.user", (id,),
        )  # fmt: skip
        groups = self.database.execute(
            "SELECT group_name, access FROM projects_groups g JOIN pagure_group p"
            " ON p.id = g.group_id WHERE project_id = ? ORDER BY group_name", (id,),
        )  # fmt: skip
        return {
            "owner": row["owner"],
            "description": row["description"],
            "private": bool(row["private"]),
            "parent": self.names.get(row["parent_id"]),
            "members": dict(map(tuple, members)),
            "groups": dict(map(tuple, groups)),
            "tags": self.column(
                "SELECT tag FROM tags_colored WHERE project_id = ? ORDER BY tag", id
            ),
            "milestones": json.loads(row["_milestones"] or "{}"),
            "settings": json.loads(row["_settings"] or "{}"),
            "issues": {one["id"]: self.issue(one) for one in self.rows(ISSUE, id)},
            "pull_requests": {
                one["id"]: self.pull_request(one) for one in self.rows(PULL_REQUEST, id)
            },
        }

    def issue(self, row):
        """An issue with its comments."""
        kept = ("title", "content", "status", "close_status", "author", "assignee", "priority")
        return {
            **{name: row[name] for name in (*kept, "milestone")},
            "private": bool(row["private"]),
            "tags": self.column(TAGS.format("tags_issues_colored", "issue_uid"), row["uid"]),
            "depends_on": self.column(
                "SELECT id FROM issue_to_issue JOIN issues ON uid = parent_issue_id"
                " WHERE child_issue_id = ? ORDER BY id", row["uid"],
            ),
            "comments": self.rows(ISSUE_COMMENTS, row["uid"]),
        }  # fmt: skip

    def pull_request(self, row):
        """A pull request with its comments."""
        kept = ("title", "status", "author", "assignee", "branch", "closed_by")
        return {
            **{name: row[name] for name in kept},
            "comment": row["initial_comment"],
            "from_branch": row["branch_from"],
            "from_project": self.names.get(row["project_id_from"]),
            "commit": row["commit_stop"],
            "tags": self.column(TAGS.format("tags_pull_requests", "request_uid"), row["uid"]),
            "comments": self.rows(PULL_REQUEST_COMMENTS, row["uid"]),
        }


def export(state):
    """Everything in the forge whose files are in the folder `state`."""
    forge = Forge(f"{state}/pagure.sqlite")
    projects, blobs = {}, {}
    for row in forge.project_rows():
        name = forge.names[row["id"]]
        path = f"{state}/repositories/{name}.git"
        # A project whose making failed has no repository.
        files = repository(path, blobs) if os.path.isdir(path) else {}
        projects[name] = {**forge.project(row), **files}
    people = forge.column("SELECT user FROM users ORDER BY user")
    return {"people": people, "projects": projects, "blobs": blobs}


if __name__ == "__main__":
    wait_until_idle()
    json.dump(export(STATE), sys.stdout)
