"""Firms: the people, papers and work of a made-up company, which fill an image's services.

A firm is drawn from a number (`draw.draw_firm`): the same number gives the same firm, and all parts
of a firm fit together (`consistency.problems`). What it is drawn from is `words.toml`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

__all__ = [
    "USER",
    "Bucket",
    "Cloud",
    "Comment",
    "Commit",
    "Customer",
    "Document",
    "Event",
    "Firm",
    "Invoice",
    "Issue",
    "Leaver",
    "Line",
    "Message",
    "Person",
    "Project",
    "Repository",
    "Room",
    "Server",
    "Team",
    "Ticket",
]

USER = "user"
"""The login of the person at the desktop, who is new in the firm."""


@dataclass(frozen=True)
class Person:
    """Somebody in the firm. The login is the same in every service."""

    login: str
    name: str
    team: str
    """The name of a team."""
    title: str

    @property
    def first(self) -> str:
        """The first name."""
        return self.name.split()[0]


@dataclass(frozen=True)
class Team:
    """A team and who leads it."""

    name: str
    lead: str
    members: tuple[str, ...]
    """Logins; the lead is one of them."""


@dataclass(frozen=True)
class Customer:
    """A customer and who in the firm looks after it."""

    id: str
    name: str
    city: str
    contact: str
    manager: str
    """The login of the account manager."""
    terms: int
    """Days until an invoice is due."""


@dataclass(frozen=True)
class Line:
    """One line of an invoice."""

    text: str
    quantity: int
    cents: int
    """The price of one."""


@dataclass(frozen=True)
class Invoice:
    """An invoice to a customer. Days are ISO dates."""

    number: str
    customer: str
    """The id of a customer."""
    issued: str
    due: str
    paid: str
    """The day it was paid; empty if it is open."""
    lines: tuple[Line, ...]

    @property
    def cents(self) -> int:
        """What is to be paid."""
        return sum(line.quantity * line.cents for line in self.lines)


@dataclass(frozen=True)
class Commit:
    """A change of a repository: the whole content of the files that it changes."""

    author: str
    day: str
    message: str
    files: tuple[tuple[str, str], ...]
    """Path and content."""


@dataclass(frozen=True)
class Comment:
    """A comment on an issue."""

    author: str
    day: str
    text: str


@dataclass(frozen=True)
class Issue:
    """An issue of a repository, on the forge."""

    title: str
    text: str
    author: str
    day: str
    """When it was opened."""
    assignee: str
    open: bool
    tags: tuple[str, ...]
    comments: tuple[Comment, ...]


@dataclass(frozen=True)
class Repository:
    """A repository of the forge."""

    name: str
    title: str
    owner: str
    members: tuple[str, ...]
    """Who may push, besides the owner."""
    commits: tuple[Commit, ...]
    issues: tuple[Issue, ...]


@dataclass(frozen=True)
class Ticket:
    """A ticket of a project, in the tracker."""

    subject: str
    text: str
    kind: str
    """Bug, Feature or Support."""
    status: str
    """New, In Progress, Resolved or Closed."""
    priority: str
    author: str
    day: str
    """When it was opened."""
    assignee: str
    due: str
    hours: int
    """Estimated."""


@dataclass(frozen=True)
class Project:
    """A project for a customer, in the tracker."""

    identifier: str
    name: str
    customer: str
    """The id of a customer."""
    manager: str
    members: tuple[str, ...]
    tickets: tuple[Ticket, ...]


@dataclass(frozen=True)
class Message:
    """A message in a room."""

    author: str
    day: str
    minute: int
    """Minutes since midnight."""
    text: str


@dataclass(frozen=True)
class Room:
    """A room of the chat. `user` is a member of all rooms."""

    name: str
    topic: str
    owner: str
    members: tuple[str, ...]
    messages: tuple[Message, ...]


@dataclass(frozen=True)
class Document:
    """A text file of the firm's share."""

    path: str
    day: str
    text: str


@dataclass(frozen=True)
class Event:
    """An event of a calendar."""

    calendar: str
    """LOGIN/calendar, or teams/TEAM."""
    id: str
    title: str
    day: str
    minute: int
    """Its begin, in minutes since midnight."""
    length: int
    """Minutes."""
    place: str
    organiser: str
    attendees: tuple[str, ...]


@dataclass(frozen=True)
class Bucket:
    """A bucket of the cloud."""

    name: str
    use: str
    owner: str
    """The login of who looks after it."""
    public: bool
    """Whether the firm's list says that everybody may read it."""
    readable: bool
    """Whether everybody can read it."""
    objects: tuple[tuple[str, str], ...]
    """Key and text."""


@dataclass(frozen=True)
class Server:
    """A virtual machine in the cloud. Its tags say the same."""

    name: str
    size: str
    stage: str
    """production or test."""
    owner: str
    until: str
    """The last day on which a test server is needed; empty in production."""


@dataclass(frozen=True)
class Leaver:
    """Somebody who has left the firm, with an account in the cloud."""

    login: str
    name: str
    day: str
    """The last day in the firm."""
    access: str
    """The last day on which they may use the cloud."""


@dataclass(frozen=True)
class Cloud:
    """What the firm has in the cloud."""

    buckets: tuple[Bucket, ...]
    servers: tuple[Server, ...]
    accounts: tuple[str, ...]
    """Logins with an active access key, those of leavers among them."""
    leavers: tuple[Leaver, ...]


@dataclass(frozen=True)
class Firm:
    """Everything that the services of an image are filled with."""

    number: int
    name: str
    today: str
    """The day on which its history ends: later events are planned, later due days are ahead."""
    people: tuple[Person, ...]
    teams: tuple[Team, ...]
    customers: tuple[Customer, ...]
    invoices: tuple[Invoice, ...]
    repositories: tuple[Repository, ...]
    projects: tuple[Project, ...]
    rooms: tuple[Room, ...]
    documents: tuple[Document, ...]
    events: tuple[Event, ...]
    cloud: Cloud
    facts: tuple[tuple[str, str], ...] = ()
    """What colleagues say if they are asked, by name."""

    def person(self, login: str) -> Person:
        """The person of a login; `KeyError` if there is none."""
        return next((one for one in self.people if one.login == login), None) or _missing(login)

    def lead(self, team: str) -> str:
        """The login of a team's lead; `KeyError` if there is no such team."""
        return next((one.lead for one in self.teams if one.name == team), "") or _missing(team)

    def customer(self, id: str) -> Customer:
        """The customer of an id; `KeyError` if there is none."""
        return next((one for one in self.customers if one.id == id), None) or _missing(id)


def _missing(name: str) -> NoReturn:
    raise KeyError(name)
