"""An agent with the task's own tools reaches neither verifier, token, export nor another database,
and cannot steer a verdict.
"""

from __future__ import annotations

import json

from ambidex.host import ToolCall
from ambidex.host.client.guest import Guest
from tests.support.archives import tar_of
from tests.support.database import refused, sql

NUMBERS = iter(range(1000))
SECRETS = ("/etc/ambidex/token", "/var/lib/postgresql/main/pg_hba.conf")
VERIFIER = """
import os, pathlib, sys, psycopg2
connection = psycopg2.connect(
    host=os.environ["PGHOST"], user="postgres", dbname="work", options="-c search_path=pg_catalog"
)
cursor = connection.cursor()
cursor.execute("SELECT text FROM public.answers WHERE upper(text) = 'YES'")
print(cursor.fetchall(), os.getuid(), sorted(os.listdir(os.environ["FILES"])))
pathlib.Path(os.environ["FILES"], "changed").write_text("by the verifier")
cursor.execute("DELETE FROM public.answers")
connection.commit()
sys.exit(7)
"""


def called(guest: Guest, name: str, **arguments: object) -> str:
    """What an agent reads of a call's result."""
    return guest.call(ToolCall(f"call-{next(NUMBERS)}", name, arguments)).text


def test_the_database_reads_no_file_and_runs_no_program_for_its_owner(fresh_guest: Guest) -> None:
    for secret in SECRETS:
        answer = called(fresh_guest, "database_execute_sql", sql=f"SELECT pg_read_file('{secret}')")
        assert "permission denied" in answer
    for command in (
        "COPY (SELECT 1) TO PROGRAM 'id'",
        "CREATE TABLE t (x text); COPY t FROM '/etc/passwd'",
        "ALTER SYSTEM SET archive_command = 'id'",
        "CREATE EXTENSION adminpack",
    ):
        assert refused(fresh_guest, command)


def test_the_owner_of_a_database_becomes_no_other_role(fresh_guest: Guest) -> None:
    for role in ("postgres", "ambidex_export", "pg_execute_server_program", "pg_write_all_data"):
        assert "permission denied" in refused(fresh_guest, f"SET ROLE {role}")
        assert refused(fresh_guest, f'GRANT {role} TO "user"')
    assert refused(fresh_guest, 'ALTER ROLE "user" SUPERUSER')
    for user in ("postgres", "ambidex_export"):
        output = fresh_guest.run(["psql", "--host=/run/postgresql", f"--username={user}", "work"])
        assert "authentication failed" in output.stderr


def test_another_database_is_closed_to_the_owner(fresh_guest: Guest) -> None:
    for database in ("postgres", "template1"):
        assert "permission denied" in refused(fresh_guest, "SELECT 1", database)


def test_the_file_tools_read_only_the_home_folder(fresh_guest: Guest) -> None:
    fresh_guest.run(["ln", "-s", "/", "/home/user/all"])
    for path in (*SECRETS, "~/all/etc/passwd", "/usr/share/ambidex/services.json"):
        assert "denied" in called(fresh_guest, "filesystem_read_text_file", path=path)


def test_neither_the_export_nor_a_service_is_the_agents_to_change(fresh_guest: Guest) -> None:
    for command in (
        "echo >> /usr/share/ambidex/export/database.py",
        "echo >> /usr/share/ambidex/services.json",
        "cat /var/lib/postgresql/main/PG_VERSION",
        "kill -9 $(pgrep --oldest --exact postgres)",
        "kill -STOP $(pgrep --oldest --exact postgres)",
    ):
        assert fresh_guest.run(["sh", "-c", command]).returncode != 0, command


def test_a_verifier_runs_unseen_and_changes_nothing_of_the_agents(fresh_guest: Guest) -> None:
    fresh_guest.run(["mkdir", "/home/user/work"])
    fresh_guest.put("~/work/kept", b"as it was")
    fresh_guest.run(["ln", "-s", "/etc/ambidex", "/home/user/work/link"])
    sql(fresh_guest, "CREATE TABLE answers (text text); INSERT INTO answers VALUES ('no')")
    sql(
        fresh_guest,
        "CREATE FUNCTION public.upper(text) RETURNS text LANGUAGE sql AS $$ SELECT 'YES' $$",
    )
    # A thief waits for the verifier's folder.
    thief = "while :; do cp -r /tmp/ambidex-verify-* /home/user/stolen 2>/dev/null; done"
    fresh_guest.run(["sh", "-c", thief], background=True)
    fresh_guest.freeze()
    outcome, output = fresh_guest.verify(
        tar_of({"verify.py": VERIFIER}),
        ["/usr/bin/python3", "verify.py"],
        environment={"PGHOST": "/run/postgresql"},
        folders={"FILES": "/home/user/work"},
        within=60,
    )
    text = output.decode()
    assert outcome.exit == 7, text
    assert "[] " in text, f"a function of the agent's was used: {text}"
    assert "['kept', 'link']" in text
    assert fresh_guest.find_file("~/work/changed").state == "absent"
    assert fresh_guest.find_file("~/stolen").state == "absent"
    rows = json.loads(fresh_guest.export("database")[0])["databases"]["work"]["tables"]
    assert rows["public.answers"]["rows"] == [], "the verifier works on the real database"


def test_a_verifier_that_never_ends_is_killed(fresh_guest: Guest) -> None:
    fresh_guest.freeze()
    outcome, output = fresh_guest.verify(
        tar_of({"verify.sh": "echo begun; sleep 1000 & sleep 1000"}),
        ["/bin/sh", "verify.sh"],
        environment={},
        folders={},
        within=1,
    )
    assert (outcome.exit, output) == (None, b"begun\n")
