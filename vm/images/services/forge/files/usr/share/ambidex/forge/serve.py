"""Serves the forge: Pagure's web pages, the worker of its tasks, and its git hooks.

All three are forks of one process, since loading Pagure takes seconds and 100 MB. When one of them
ends, so does this program.
"""

import gc
import json
import os
import signal
import socket
import socketserver
import sys

import gunicorn.app.base
import pagure.api.fork
import pagure.api.issue
import pagure.api.project
import pagure.api.utils
import pagure.lib.model
import pagure.lib.model_base
import pagure.lib.query
import pagure.lib.tasks_mirror
import pagure.lib.tasks_services
from pagure.config import config
from pagure.flask_app import create_app
from pagure.hooks import run_hook_file
from pagure.lib.plugins import get_enabled_plugins
from pagure.lib.tasks import conn

HOOKS = "/run/forge/hooks"
"""The socket at which `hook.py` asks for a hook."""
WORKER = ["--quiet", "worker", "--pool=solo", "--without-gossip", "--without-mingle"]
PAGES = {
    "bind": "127.0.0.1:8081",
    "threads": 8,
    "timeout": 120,
    "loglevel": "warning",
    "worker_tmp_dir": "/dev/shm",
}


class Pages(gunicorn.app.base.BaseApplication):
    """The web pages."""

    def load_config(self):
        """Set gunicorn's options."""
        for name, value in PAGES.items():
            self.cfg.set(name, value)

    def load(self):
        """The application."""
        return application


class Hook(socketserver.BaseRequestHandler):
    """Runs one hook in a fork of this process, with the files and environment of who asks."""

    def handle(self):
        """Answer with the exit status."""
        message, files, _, _ = socket.recv_fds(self.request, 1 << 20, 3)
        asked = json.loads(message)
        for number, file in enumerate(files):
            os.dup2(file, number)
        os.chdir(asked["folder"])
        os.environ.clear()
        os.environ.update(asked["environment"])
        sys.argv = asked["argv"]
        try:
            run_hook_file(os.path.basename(sys.argv[0]))
            status = 0
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else int(end.code is not None)
        sys.stdout.flush()
        self.request.sendall(str(status).encode())


class Hooks(socketserver.ForkingMixIn, socketserver.UnixStreamServer):
    """Serves hooks until one of the other forks ends."""

    def __init__(self, path, forks):
        self.forks = forks
        super().__init__(path, Hook)

    def service_actions(self):
        """Look after the forks."""
        super().service_actions()
        for process in self.forks:
            if os.waitpid(process, os.WNOHANG)[0]:
                raise SystemExit(f"fork {process} of the forge ended")


def fork(run):
    """Run a function in a fork; its process id."""
    process = os.fork()
    if process == 0:
        sys.argv = ["forge"]  # gunicorn reads options from it
        try:
            run()
        finally:
            os._exit(1)
    return process


def prepare_hooks():
    """Map the tables and compile the queries of a hook, which each fork would otherwise do for
    itself: that takes 0.1 s, under emulation more than 1 s, three times for each push, and Pagure
    pushes for each change of an issue."""
    session = pagure.lib.model_base.create_session(config["DB_URL"])
    pagure.lib.query._get_project(session, "none")
    project = pagure.lib.model.Project(id=0, name="none")
    session().enable_relationship_loading(project)
    get_enabled_plugins(project)
    session.remove()
    session.get_bind().dispose()  # forks must not share a connection to SQLite


def main():
    """Serve until a fork ends, or until this process is told to end."""
    if os.path.exists(HOOKS):
        os.unlink(HOOKS)
    forks = [fork(Pages().run), fork(lambda: conn.worker_main(WORKER))]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    try:
        with Hooks(HOOKS, forks) as hooks:
            hooks.serve_forever()
    finally:
        for process in forks:
            os.kill(process, signal.SIGTERM)


# By default the address of a picture on a server in the internet.
pagure.lib.query.avatar_url_from_email = lambda *_, **__: "/static/images/users.png"
application = create_app()


def check_token(repo, project_token=False):
    """Allow a person's own token also where Pagure wants one of the project."""
    pagure.api.utils._check_token(repo, project_token=False)


for module in (pagure.api.issue, pagure.api.fork, pagure.api.project):
    module._check_token = check_token


@application.after_request
def repair_headers(response):
    """Write the headers of `git http-backend` as text; Pagure passes them on as bytes."""
    for name, value in list(response.headers.items()):
        if value.startswith("b'"):
            response.headers[name] = value[2:-1]
    return response


if __name__ == "__main__":
    prepare_hooks()
    gc.freeze()  # Pagure collects garbage often; what is loaded now need not be looked at
    main()
