"""The tools of the mounted git server in a real desktop, checked with git itself."""

from collections.abc import Iterator
from typing import NamedTuple

import pytest

from ambidex.host.client.guest import Guest
from tests.desktop.proofs import proves
from tests.desktop.tool_calls import done, read, refused

NAME = "~/code of mine/größe ✓"
GIT = "git itself, run in the desktop, says the same"


class Repository(NamedTuple):
    """A repository with two commits of `plan.txt` and a branch `topic` at the first."""

    guest: Guest
    path: str

    def git(self, *arguments: str) -> str:
        return read(self.guest, "git", "-C", self.path, *arguments)

    def write(self, name: str, text: str) -> None:
        self.guest.put(f"{self.path}/{name}", text.encode())


@pytest.fixture
def repository(guest: Guest) -> Iterator[Repository]:
    path = read(guest, "mktemp", "-d", "/home/user/a repository XXXXXX")
    result = Repository(guest, path)
    result.git("init", "--initial-branch=main")
    result.git("config", "user.name", "Zoë")
    result.git("config", "user.email", "zoe@example.org")
    for number, text in enumerate(("one\n", "one\ntwo ✓\n"), 1):
        result.write("plan.txt", text)
        result.git("add", "plan.txt")
        result.git("commit", "-m", f"Step {number}", f"--date=2026-01-0{number}T12:00:00")
        if number == 1:
            result.git("branch", "topic")
    yield result
    read(guest, "rm", "-rf", path)


@proves(GIT, git_init="the folder is a working tree without a commit; a second call keeps it")
def test_a_folder_becomes_a_repository_once(guest: Guest) -> None:
    answer = done(guest, "git_init", repo_path=NAME)
    assert answer == "Initialized empty Git repository in /home/user/code of mine/größe ✓/.git/"
    assert read(guest, "git", "-C", f"/home/user/{NAME[2:]}", "rev-parse", "--is-inside-work-tree")
    guest.put(f"{NAME}/kept.txt", b"kept")
    again = done(guest, "git_init", repo_path=NAME.removeprefix("~/"))
    assert again.startswith("Reinitialized existing Git repository")
    assert guest.get(f"{NAME}/kept.txt") == b"kept"
    code, text = refused(guest, "git_init", repo_path="~/.profile")
    assert (code, ".profile" in text) == ("refused", True)


@proves(GIT, git_status="branch, staged, changed and untracked files as git reports them")
def test_status_matches_git_status(repository: Repository) -> None:
    guest, path = repository.guest, repository.path
    repository.write("plan.txt", "three\n")
    repository.write("new.txt", "new\n")
    answer = done(guest, "git_status", repo_path=path)
    assert answer.splitlines()[1:] == repository.git("status").splitlines()
    assert "plan.txt" in answer
    assert "new.txt" in answer


@pytest.mark.parametrize("path", ["~/Documents", "~/nowhere at all", "nowhere"])
def test_a_folder_that_is_not_a_repository_is_named(guest: Guest, path: str) -> None:
    code, text = refused(guest, "git_status", repo_path=path)
    assert code == "no_repository"
    assert text == (
        f"Not a repository: {path}. "
        "Give the top folder of a repository, or create one with git_init."
    )


@proves(
    GIT,
    git_diff_unstaged="the changed line with the requested context",
    git_diff_staged="what `git diff --cached` shows",
    git_diff="what `git diff topic` shows",
)
def test_differences_are_those_that_git_shows(repository: Repository) -> None:
    guest, path = repository.guest, repository.path
    lines = [f"line {number}\n" for number in range(20)]
    repository.write("plan.txt", "".join(lines))
    repository.git("add", ".")
    staged = done(guest, "git_diff_staged", repo_path=path)
    assert staged.partition("\n")[2].strip() == repository.git("diff", "--cached")
    lines[10] = "другая строка\n"
    repository.write("plan.txt", "".join(lines))
    near = done(guest, "git_diff_unstaged", repo_path=path, context_lines=0)
    assert near.partition("\n")[2].strip() == repository.git("diff", "--unified=0")
    assert "+другая строка" in near
    assert "\n line 9" not in near
    far = done(guest, "git_diff_unstaged", repo_path=path)
    assert " line 7\n" in far
    against = done(guest, "git_diff", repo_path=path, target="topic", context_lines=1)
    assert against.partition("\n")[2].strip() == repository.git("diff", "--unified=1", "topic")


@proves(
    GIT,
    git_add="git diff --cached names the files",
    git_commit="the newest commit has the message, and the hash that was returned",
    git_reset="nothing is staged, and the file keeps its change",
)
def test_files_are_staged_unstaged_and_committed(repository: Repository) -> None:
    guest, path = repository.guest, repository.path
    repository.write("a b.txt", "x\n")
    repository.write("-n.txt", "y\n")
    done(guest, "git_add", repo_path=path, files=["a b.txt"])
    assert repository.git("diff", "--cached", "--name-only") == "a b.txt"
    done(guest, "git_add", repo_path=path, files=["."])
    assert repository.git("diff", "--cached", "--name-only").splitlines() == ["-n.txt", "a b.txt"]
    assert "No changes" in done(guest, "git_add", repo_path=path, files=["."])
    done(guest, "git_reset", repo_path=path)
    assert repository.git("diff", "--cached", "--name-only") == ""
    assert guest.get(f"{path}/a b.txt") == b"x\n"
    done(guest, "git_add", repo_path=path, files=["a b.txt", "-n.txt"])
    message = "Größe: \"quotes\", 'more' and $HOME\n\n🎉 a body"
    answer = done(guest, "git_commit", repo_path=path, message=message)
    assert repository.git("log", "-1", "--format=%B") == message
    assert repository.git("log", "-1", "--format=%an <%ae>") == "Zoë <zoe@example.org>"
    assert repository.git("rev-parse", "HEAD") in answer
    assert refused(guest, "git_commit", repo_path=path, message="empty")[0] == "failed"
    code, text = refused(guest, "git_add", repo_path=path, files=["no such file"])
    assert (code, "no such file" in text) == ("failed", True)
    assert refused(guest, "git_add", repo_path=path, files=[])[0] == "bad_arguments"


@proves(
    GIT,
    git_log="hashes in the order of git log, limited to the requested time",
    git_show="author, message and changed lines; or the file as it was",
)
def test_the_history_matches_git_log(repository: Repository) -> None:
    guest, path = repository.guest, repository.path
    hashes = repository.git("log", "--format=%H").splitlines()
    answer = done(guest, "git_log", repo_path=path)
    assert [answer.count(digest) for digest in hashes] == [1, 1]
    assert answer.index(hashes[0]) < answer.index(hashes[1])
    assert hashes[1] not in done(guest, "git_log", repo_path=path, max_count=1)
    since = done(guest, "git_log", repo_path=path, start_timestamp="2 weeks ago")
    assert hashes[0] in since
    until = done(guest, "git_log", repo_path=path, end_timestamp="2001-01-01")
    assert hashes[0] not in until
    shown = done(guest, "git_show", repo_path=path, revision="HEAD")
    assert hashes[0] in shown
    assert "Zoë <zoe@example.org>" in shown
    assert "\n+two ✓" in shown
    was = done(guest, "git_show", repo_path=path, revision="HEAD~1:plan.txt")
    assert was == repository.git("show", "HEAD~1:plan.txt") + "\n"
    code, text = refused(guest, "git_show", repo_path=path, revision="v9")
    assert (code, "v9" in text) == ("failed", True)
    wrong = refused(guest, "git_log", repo_path=path, start_timestamp="--all")
    assert wrong[0] == "failed"


@proves(
    GIT,
    git_create_branch="git has the branch, at the commit of its base, and HEAD stays",
    git_checkout="git is on the branch, and the file has what it held there",
    git_branch="the same names as git branch, filtered by what they contain",
)
def test_branches_are_made_listed_and_changed_to(repository: Repository) -> None:
    guest, path = repository.guest, repository.path
    done(guest, "git_create_branch", repo_path=path, branch_name="idee/ü")
    assert repository.git("rev-parse", "idee/ü") == repository.git("rev-parse", "main")
    done(guest, "git_create_branch", repo_path=path, branch_name="old", base_branch="topic")
    assert repository.git("rev-parse", "old") == repository.git("rev-parse", "topic")
    assert repository.git("branch", "--show-current") == "main"
    listed = done(guest, "git_branch", repo_path=path, branch_type="local")
    assert listed.strip() == repository.git("branch").strip()
    having = done(guest, "git_branch", repo_path=path, branch_type="all", contains="main")
    assert having.split() == ["idee/ü", "*", "main"]
    lacking = done(guest, "git_branch", repo_path=path, branch_type="local", not_contains="main")
    assert lacking.split() == ["old", "topic"]
    done(guest, "git_checkout", repo_path=path, branch_name="topic")
    assert repository.git("branch", "--show-current") == "topic"
    assert guest.get(f"{path}/plan.txt") == b"one\n"
    repository.write("plan.txt", "not committed\n")
    code, _ = refused(guest, "git_checkout", repo_path=path, branch_name="main")
    assert code == "failed"
    assert repository.git("branch", "--show-current") == "topic"
    taken = refused(guest, "git_create_branch", repo_path=path, branch_name="old")
    assert taken[0] == "failed"
    assert refused(guest, "git_branch", repo_path=path, branch_type="some")[0] == "bad_arguments"


def test_every_tool_says_that_there_is_no_repository(guest: Guest) -> None:
    more = {
        "git_diff": {"target": "main"},
        "git_diff_staged": {},
        "git_diff_unstaged": {},
        "git_reset": {},
        "git_log": {},
        "git_branch": {"branch_type": "all"},
    }
    for tool, arguments in more.items():
        code, _ = refused(guest, tool, repo_path="~/Music", **arguments)
        assert code == "no_repository", tool
