"""Puts a firm's people, repositories and issues into the forge.

People are added by Pagure's own library, as the image's seed does; all else goes over its API and
git, as its author. The tokens for it are deleted afterwards, and nobody knows the passwords.
"""

import datetime
import json
import os
import pwd
import secrets
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request

ADDRESS = "http://127.0.0.1:8081"
USER = "user"
SETTINGS = "/usr/share/ambidex/forge/pagure.cfg"


def become_the_forge():
    """Take the account of the forge for the rest of this program."""
    account = pwd.getpwnam("_pagure")
    os.initgroups(account.pw_name, account.pw_gid)
    os.setgid(account.pw_gid)
    os.setuid(account.pw_uid)
    os.environ.update(HOME="/tmp", PAGURE_CONFIG=SETTINGS)


def add_people(people):
    """Add all of them; the API token and password of each, by login."""
    sys.path.insert(0, "/usr/share/ambidex/forge")
    import pagure.lib.model
    import seed

    session = pagure.lib.model.create_tables(seed.config["DB_URL"], acls=seed.config["ACLS"])
    keys = {}
    for person in people:
        login, password = person["login"], secrets.token_hex(16)
        if login != USER:
            seed.add_person(session, login, password, f"/tmp/{login}")
            with open(f"/tmp/{login}") as file:
                keys[login] = (file.read(), password)
        row = session.query(pagure.lib.model.User).filter_by(user=login).one()
        row.fullname = person["name"]
    session.commit()
    return session, keys


class Filler:
    """Sends requests as people of the firm."""

    def __init__(self, keys):
        self.keys = keys

    def ask(self, login, path, **form):
        """Send a form to the API as somebody; the answer."""
        request = urllib.request.Request(
            f"{ADDRESS}/api/0/{path}",
            data=urllib.parse.urlencode(form).encode(),
            headers={"Authorization": f"token {self.keys[login][0]}"},
        )
        try:
            with urllib.request.urlopen(request, timeout=120) as answered:
                return json.load(answered)
        except urllib.error.HTTPError as error:
            sys.exit(f"{path} {form}: {error.code} {error.read().decode()}")

    def make(self, repository, names):
        """Make a repository with its history and issues."""
        name, owner = repository["name"], repository["owner"]
        self.ask(owner, "new", name=name, description=repository["title"], wait="1")
        for login in [*repository["members"], USER]:
            acl = {"user_type": "user", "name": login, "acl": "commit"}
            self.ask(owner, f"{name}/git/modifyacls", **acl)
        self.push(repository, names)
        for number, issue in enumerate(repository["issues"], 1):
            author, path = issue["author"], f"{name}/issue/{number}"
            form = {"title": issue["title"], "issue_content": issue["text"]}
            self.ask(author, f"{name}/new_issue", **form, tag=",".join(issue["tags"]))
            for comment in issue["comments"]:
                self.ask(comment["author"], f"{path}/comment", comment=comment["text"])
            if issue["assignee"]:
                self.ask(author, f"{path}/assign", assignee=issue["assignee"])
            if not issue["open"]:
                self.ask(author, f"{path}/status", status="Closed")

    def push(self, repository, names):
        """Push its commits, each with the time and the author that it has."""
        folder = f"/tmp/{repository['name']}.git"
        git = ["git", f"--git-dir={folder}"]
        subprocess.run(["git", "init", "--quiet", "--bare", folder], check=True)
        stream = b"".join(fast_import(repository["commits"], names))
        subprocess.run([*git, "fast-import", "--quiet"], input=stream, check=True)
        owner = repository["owner"]
        address = f"http://{owner}:{self.keys[owner][1]}@127.0.0.1:8081/{repository['name']}.git"
        subprocess.run([*git, "push", "--quiet", address, "main"], check=True)


def fast_import(commits, names):
    """The commits in the form that `git fast-import` reads."""
    for commit in commits:
        day, author = commit["day"], commit["author"]
        seconds = subprocess.run(
            ["date", "--utc", f"--date={day} 10:00", "+%s"], capture_output=True, check=True
        ).stdout.decode()
        person = f"{names[author]} <{author}@firm.test> {seconds.strip()} +0000"
        yield f"commit refs/heads/main\nauthor {person}\ncommitter {person}\n".encode()
        yield data(commit["message"] + "\n")
        for path, content in commit["files"]:
            yield f"M 100644 inline {path}\n".encode() + data(content)


def data(text):
    """A text in that form."""
    content = text.encode()
    return b"data %d\n%b\n" % (len(content), content)


def set_dates(session, firm):
    """Date everything as the firm does. The forge would have it happen while it is filled."""
    import pagure.lib.model as model

    began = min(one["commits"][0]["day"] for one in firm["repositories"])
    session.query(model.User).update({"created": moment(began), "updated_on": moment(began)})
    session.query(model.PagureLog).delete()  # what people did, by the day it was filled
    for repository in firm["repositories"]:
        project = session.query(model.Project).filter_by(name=repository["name"]).one()
        project.date_created = moment(repository["commits"][0]["day"])
        project.date_modified = moment(repository["commits"][-1]["day"])
        for number, given in enumerate(repository["issues"], 1):
            issue = session.query(model.Issue).filter_by(project_id=project.id, id=number).one()
            # The forge comments on changes, too: on the same day, or with the next comment.
            spoken = {one["text"]: one["day"] for one in given["comments"]}
            day = given["day"]
            issue.date_created = moment(day)
            for comment in sorted(issue.comments, key=lambda one: one.id):
                day = spoken.get(comment.comment, day)
                comment.date_created = moment(day)
            issue.last_updated = moment(day)
            if issue.closed_at:
                issue.closed_at = moment(day)
    session.commit()


def moment(day):
    """Ten o'clock of a day."""
    return datetime.datetime.fromisoformat(day).replace(hour=10)


def main(firm):
    """Fill the forge, then forget the tokens."""
    become_the_forge()
    names = {one["login"]: one["name"] for one in firm["people"]}
    session, keys = add_people(firm["people"])
    filler = Filler(keys)
    for repository in firm["repositories"]:
        filler.make(repository, names)
    session.expire_all()
    set_dates(session, firm)
    import pagure.lib.model

    for token, _ in keys.values():
        session.delete(session.get(pagure.lib.model.Token, token))
    session.commit()


if __name__ == "__main__":
    main(json.load(sys.stdin))
