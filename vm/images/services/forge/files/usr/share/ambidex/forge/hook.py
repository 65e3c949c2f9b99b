#!/usr/bin/python3 -IS
"""Asks `serve.py` to run a git hook; takes the place of Pagure's own program for hooks."""

import json
import os
import socket
import sys

if "internal_no_hooks" not in os.environ:
    asked = {
        "argv": sys.argv,
        "folder": os.getcwd(),
        "environment": dict(os.environ),
    }
    with socket.socket(socket.AF_UNIX) as server:
        server.connect("/run/forge/hooks")
        socket.send_fds(server, [json.dumps(asked).encode()], [0, 1, 2])
        sys.exit(int(server.recv(16) or b"1"))
