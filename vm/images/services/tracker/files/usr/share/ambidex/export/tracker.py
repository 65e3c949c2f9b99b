"""Prints everything in the tracker as one JSON object, for the evidence.

{"people": [login],
 "projects": {IDENTIFIER: {"name", "description", "public", "status", "parent",
     "members": {login: [role]}, "categories": [name],
     "versions": {name: {"description", "status", "due"}},
     "wiki": {title: {"text", "parent", "author", "version"}},
     "news": [{"title", "summary", "text", "author"}]}},
 "issues": {NUMBER: {"project", "tracker", "status", "priority", "subject", "description",
     "author", "assignee", "category", "version", "parent", "start", "due", "done",
     "estimated_hours", "private", "custom": {field: [value]}, "watchers": [login],
     "attachments": [{"name", "size", "sha256"}],
     "relations": [[kind, number]], "spent": [{"user", "hours", "activity", "comments", "day"}],
     "journal": [{"user", "notes", "changes": [[property, name, old, new]]}]}}}
"""

import json
import sqlite3
import sys
from collections import defaultdict

DATABASE = "/var/lib/redmine/default/redmine.sqlite"
PROJECT_STATUSES = {1: "active", 5: "closed", 9: "archived", 10: "scheduled for deletion"}
ISSUES = """
SELECT i.id, p.identifier AS project, t.name AS tracker, s.name AS status, e.name AS priority,
       subject, i.description, a.login AS author, coalesce(b.login, b.lastname) AS assignee,
       c.name AS category, v.name AS version, i.parent_id AS parent, start_date AS start,
       due_date AS due, done_ratio AS done, estimated_hours, is_private AS private
FROM issues i JOIN projects p ON p.id = i.project_id JOIN trackers t ON t.id = i.tracker_id
JOIN issue_statuses s ON s.id = i.status_id JOIN users a ON a.id = i.author_id
LEFT JOIN enumerations e ON e.id = i.priority_id LEFT JOIN users b ON b.id = i.assigned_to_id
LEFT JOIN issue_categories c ON c.id = i.category_id LEFT JOIN versions v ON v.id = fixed_version_id
ORDER BY i.id
"""
JOURNALS = """
SELECT j.id, u.login AS user, notes FROM journals j JOIN users u ON u.id = j.user_id
WHERE journalized_type = 'Issue' AND journalized_id = ? ORDER BY j.id
"""
SPENT = """
SELECT u.login AS user, hours, e.name AS activity, comments, spent_on AS day FROM time_entries t
JOIN users u ON u.id = t.user_id LEFT JOIN enumerations e ON e.id = activity_id
WHERE issue_id = ? ORDER BY t.id
"""
CUSTOM = """
SELECT f.name, value FROM custom_values v JOIN custom_fields f ON f.id = custom_field_id
WHERE customized_type = 'Issue' AND customized_id = ? ORDER BY v.id
"""
WIKI = """
SELECT w.title, c.text, p.title AS parent, u.login AS author, version FROM wikis k
JOIN wiki_pages w ON w.wiki_id = k.id JOIN wiki_contents c ON c.page_id = w.id
LEFT JOIN wiki_pages p ON p.id = w.parent_id LEFT JOIN users u ON u.id = c.author_id
WHERE k.project_id = ? ORDER BY w.title
"""
MEMBERS = """
SELECT coalesce(nullif(u.login, ''), u.lastname), r.name FROM members m
JOIN users u ON u.id = m.user_id JOIN member_roles ON member_id = m.id
JOIN roles r ON r.id = role_id WHERE m.project_id = ? ORDER BY 1, 2
"""


class Tracker:
    """The database."""

    def __init__(self, path):
        self.database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        self.database.row_factory = sqlite3.Row

    def rows(self, query, *values):
        """The rows of a query."""
        return [dict(row) for row in self.database.execute(query, values)]

    def lists(self, query, *values):
        """The rows of a query, as lists."""
        return [list(row) for row in self.database.execute(query, values)]

    def column(self, query, *values):
        """The first column of a query."""
        return [row[0] for row in self.database.execute(query, values)]

    def grouped(self, query, *values):
        """The second column of a query by the first."""
        groups = defaultdict(list)
        for name, value in self.database.execute(query, values):
            groups[name].append(value)
        return groups

    def project(self, row):
        """One project without its issues."""
        id = row["id"]
        versions = self.rows(
            "SELECT name, description, status, effective_date AS due FROM versions"
            " WHERE project_id = ? ORDER BY name", id,
        )  # fmt: skip
        return {
            "name": row["name"],
            "description": row["description"],
            "public": bool(row["is_public"]),
            "status": PROJECT_STATUSES.get(row["status"], str(row["status"])),
            "parent": row["parent"],
            "members": self.grouped(MEMBERS, id),
            "categories": self.column(
                "SELECT name FROM issue_categories WHERE project_id = ? ORDER BY name", id
            ),
            "versions": {one.pop("name"): one for one in versions},
            "wiki": {one.pop("title"): one for one in self.rows(WIKI, id)},
            "news": self.rows(
                "SELECT title, summary, n.description AS text, u.login AS author FROM news n"
                " JOIN users u ON u.id = author_id WHERE project_id = ? ORDER BY n.id", id,
            ),
        }  # fmt: skip

    def issue(self, row):
        """One issue with what belongs to it."""
        id = row["id"]
        journal = [
            {
                "user": entry["user"],
                "notes": entry["notes"],
                "changes": self.lists(
                    "SELECT property, prop_key, old_value, value FROM journal_details"
                    " WHERE journal_id = ? ORDER BY id", entry["id"],
                ),
            }
            for entry in self.rows(JOURNALS, id)
        ]  # fmt: skip
        return {
            **{name: value for name, value in row.items() if name != "id"},
            "private": bool(row["private"]),
            "custom": self.grouped(CUSTOM, id),
            "watchers": self.column(
                "SELECT login FROM watchers JOIN users ON users.id = user_id"
                " WHERE watchable_type = 'Issue' AND watchable_id = ? ORDER BY login", id,
            ),
            "attachments": self.rows(
                "SELECT filename AS name, filesize AS size, digest AS sha256 FROM attachments"
                " WHERE container_type = 'Issue' AND container_id = ? ORDER BY id", id,
            ),
            "relations": self.lists(
                "SELECT relation_type, issue_to_id FROM issue_relations"
                " WHERE issue_from_id = ? ORDER BY 1, 2", id,
            ),
            "spent": self.rows(SPENT, id),
            "journal": journal,
        }  # fmt: skip


def export(path):
    """Everything in the tracker with this database."""
    tracker = Tracker(path)
    projects = tracker.rows(
        "SELECT p.*, q.identifier AS parent FROM projects p"
        " LEFT JOIN projects q ON q.id = p.parent_id ORDER BY p.identifier"
    )
    return {
        "people": tracker.column("SELECT login FROM users WHERE type = 'User' ORDER BY login"),
        "projects": {one["identifier"]: tracker.project(one) for one in projects},
        "issues": {one["id"]: tracker.issue(one) for one in tracker.rows(ISSUES)},
    }


if __name__ == "__main__":
    json.dump(export(DATABASE), sys.stdout)
