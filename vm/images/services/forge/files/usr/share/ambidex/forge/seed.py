"""Makes the database with two people: the desktop user and `maintainer`, an administrator.

Arguments: the desktop user, and the files for the API tokens of both. There are no projects.
"""

import datetime
import secrets
import sys

import bcrypt
import pagure.lib.model
from pagure.config import config

NEVER = datetime.datetime(2200, 1, 1)


def add_person(session, name, password, token_file):
    """Add a person, and write a token with all rights to a file."""
    # Few rounds: git sends the password with each request, and guessing is no concern here.
    hashed = bcrypt.hashpw(password.encode(), bcrypt.gensalt(4))
    person = pagure.lib.model.User(
        user=name,
        fullname=name.capitalize(),
        default_email=f"{name}@localhost",
        password=f"$2${hashed.decode()}",
    )
    session.add(person)
    session.flush()
    session.add(pagure.lib.model.UserEmail(user_id=person.id, email=person.default_email))
    token = pagure.lib.model.Token(
        id=secrets.token_hex(32), user_id=person.id, description="All rights", expiration=NEVER
    )
    rights = session.query(pagure.lib.model.ACL).filter(
        pagure.lib.model.ACL.name.in_(config["USER_ACLS"])
    )
    token.acls.extend(rights)
    session.add(token)
    with open(token_file, "w") as file:
        file.write(token.id)


def main(user, user_token, maintainer_token):
    """Make the database."""
    session = pagure.lib.model.create_tables(config["DB_URL"], acls=config["ACLS"])
    session.execute(pagure.lib.model.sa.text("PRAGMA journal_mode = wal"))
    add_person(session, user, "password", user_token)
    add_person(session, "maintainer", secrets.token_hex(16), maintainer_token)
    session.commit()


if __name__ == "__main__":
    main(*sys.argv[1:])
