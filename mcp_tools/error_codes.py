"""The error codes of tools and of the guest's server: every code once, with its meaning.

A model reads an error's message; programs compare its code. `docs/error-codes.md` is printed from
this list.
"""

from __future__ import annotations

from enum import Enum

__all__ = ["ErrorCode"]


class ErrorCode(str, Enum):
    """An error code. Its value is the word on the wire."""

    meaning: str

    def __new__(cls, code: str, meaning: str) -> ErrorCode:
        """A member with its meaning."""
        member = str.__new__(cls, code)
        member._value_ = code
        member.meaning = meaning
        return member

    AMBIGUOUS = "ambiguous", "Several things match; name one exactly."
    BAD_ARGUMENTS = (
        "bad_arguments",
        "An argument is unknown, missing, of the wrong type, or contradicts another one.",
    )
    BAD_CATEGORY = "bad_category", "Unknown category of an extension."
    BAD_COLOUR = "bad_colour", "Not a colour."
    BAD_EXPRESSION = "bad_expression", "Not an expression that can be evaluated."
    BAD_FORMAT = (
        "bad_format",
        "The file name has the wrong extension, or the format is not supported.",
    )
    BAD_FORMULA = "bad_formula", "Not a formula that the program accepts."
    BAD_ID = "bad_id", "Not an identifier of an extension."
    BAD_IMAGE = "bad_image", "Not an image that the program can read."
    BAD_KEY = "bad_key", "Unknown key of the keyboard."
    BAD_MEDIA = "bad_media", "Not an audio or video file."
    BAD_NAME = "bad_name", "Not a valid name."
    BAD_PATH = "bad_path", "Not a valid path."
    BAD_PATTERN = "bad_pattern", "Not a search pattern that the program accepts."
    BAD_POSITION = "bad_position", "No such position."
    BAD_RANGE = "bad_range", "The range of cells has the wrong shape or place."
    BAD_REGEX = "bad_regex", "Not a regular expression."
    BAD_REQUEST = "bad_request", "The host's request is malformed."
    BAD_TEXT = "bad_text", "The text contains a character that cannot be typed."
    BAD_TIME = "bad_time", "Not a time, or outside the file."
    BAD_URL = "bad_url", "Not a web address."
    BAD_VALUE = "bad_value", "The value does not fit where it should be stored."
    BAD_VALUES = "bad_values", "The values do not form a table."
    BUG = "bug", "A bug of the tool; the guest's journal has the traceback."
    BUSY = "busy", "The program or the file is in use."
    CHANGED = "changed", "The file changed since it was read."
    CRASHED = "crashed", "The worker exited during the call."
    DIRECTORY = "directory", "The path is a directory."
    DISABLED = "disabled", "The field is disabled or read-only."
    EMPTY = "empty", "There is no data to work with."
    EXISTS = "exists", "Something with that name exists already."
    FAILED = "failed", "The program did not do it and gave no reason."
    FROZEN = "frozen", "The desktop is frozen."
    FULL = "full", "There is no free space left in the document."
    GIT = "git", "git failed."
    GONE = "gone", "The program, tab or file closed during the call."
    HIDDEN = "hidden", "The sheet is hidden."
    HUNG = "hung", "The program stopped responding."
    IS_FOLDER = "is_folder", "The path is a folder."
    IS_TABLE = "is_table", "The box is a table."
    LAST_SHEET = "last_sheet", "A workbook keeps at least one sheet."
    LAST_SLIDE = "last_slide", "A presentation keeps at least one slide."
    LINK = "link", "A link leads out of the folder."
    LOADING = "loading", "The page, or the program, is still loading."
    LOCKED = "locked", "A policy locks the setting."
    MALFORMED = "malformed", "The file is not in its format."
    MERGED = "merged", "The cells are merged."
    MISSING = "missing", "A program that the call needs is not installed."
    NEEDS_ACCOUNT = "needs_account", "The feature needs an account."
    NO_BACKGROUND = "no_background", "The picture has no background to remove."
    NO_BOX = "no_box", "No such box on the slide."
    NO_CELL = "no_cell", "The table has no such cell."
    NO_CHART = "no_chart", "No such chart."
    NO_CLOCK = "no_clock", "The clock of the machine cannot be set."
    NO_COLUMN = "no_column", "No such column."
    NO_DESKTOP = "no_desktop", "The machine has no desktop."
    NO_DOCUMENT = "no_document", "No such document is open."
    NO_EDITOR = "no_editor", "No text editor is active."
    NO_EFFECT = "no_effect", "The program accepted the value without effect."
    NO_FIELD = "no_field", "The page has no such field."
    NO_FILE = "no_file", "No such file, or the document has no file yet."
    NO_FILL = "no_fill", "The box cannot have a fill."
    NO_FILTER = "no_filter", "The sheet has no filter."
    NO_FOLDER = "no_folder", "The window has no folder open."
    NO_IMAGE = "no_image", "Not a readable picture."
    NO_KEY = "no_key", "The schema has no such key."
    NO_LINE = "no_line", "The box has no such line."
    NO_NUMBERS = "no_numbers", "The range contains no numbers."
    NO_PARAGRAPH = "no_paragraph", "No such paragraph."
    NO_PORT = "no_port", "The browser cannot be controlled."
    NO_REPOSITORY = "no_repository", "Not in a git repository."
    NO_SCHEMA = "no_schema", "No such schema of settings."
    NO_SERVICE = "no_service", "No such service runs on the machine."
    NO_SETTING = "no_setting", "No such setting."
    NO_SHEET = "no_sheet", "No such sheet."
    NO_SLIDE = "no_slide", "No such slide."
    NO_SOUND = "no_sound", "The sound server refused."
    NO_STYLE = "no_style", "No such style."
    NO_SYNC = "no_sync", "Settings Sync is off."
    NO_TAB = "no_tab", "No such tab."
    NO_TABLE = "no_table", "No such table."
    NO_TEXT = "no_text", "There is no text."
    NO_VIDEO = "no_video", "No video, or it could not be converted."
    NO_WINDOW = "no_window", "No such window."
    NOT_ACTIVE = "not_active", "The window or tab did not become active."
    NOT_CLOSED = "not_closed", "The tab did not close."
    NOT_FILE = "not_file", "The path is not a file."
    NOT_FOLDER = "not_folder", "The path is not a folder."
    NOT_FOUND = "not_found", "No such file, folder or item."
    NOT_FROZEN = "not_frozen", "Processes of the desktop user could not be stopped."
    NOT_INSTALLED = "not_installed", "The program or extension is not installed."
    NOT_LOADED = "not_loaded", "The page or module could not be loaded."
    NOT_RUNNING = "not_running", "The program is not running."
    NOT_SEPARATE = "not_separate", "The guest's server runs as the desktop user."
    NOT_STARTED = "not_started", "The program did not start."
    NOT_TEXT = "not_text", "Not a text file."
    NOTHING = "nothing", "There is nothing of that kind, such as nothing to undo."
    NOTHING_LEFT = "nothing_left", "Nothing would be left of the picture."
    NOTHING_OPEN = "nothing_open", "No media is open."
    OCCUPIED = "occupied", "The destination is not empty."
    OFF_SCREEN = "off_screen", "The point is outside the screen."
    OFFLINE = "offline", "The network cannot be reached."
    OUT_OF_RANGE = "out_of_range", "The number is out of range."
    OVERLAP = "overlap", "The ranges overlap."
    PAGE_BUSY = "page_busy", "The page did not answer in time."
    PAGE_ERROR = "page_error", "The page reported an error."
    PERMISSION = "permission", "The operating system does not permit it."
    READ_ONLY = "read_only", "The document is read-only."
    REFUSED = "refused", "The program refused, with its own message."
    RELOCATABLE = "relocatable", "The schema needs a path."
    RUNNING = "running", "The program must be closed first."
    SAME = "same", "Source and destination are the same."
    TIMEOUT = "timeout", "The command did not finish in time."
    TOO_LARGE = "too_large", "More data than the limit."
    TOO_LATE = (
        "too_late",
        "The call came after the worker was restarted; what it refers to is gone.",
    )
    TOO_MANY = "too_many", "More files than the limit."
    TOO_MUCH = "too_much", "More data than the limit of a reply."
    UNDEFINED = "undefined", "The expression has no value."
    UNKNOWN = "unknown", "No such call is known."
    UNKNOWN_COMMAND = "unknown_command", "The program has no such command."
    UNKNOWN_THEME = "unknown_theme", "No such theme."
    UNKNOWN_CALL = "unknown_call", "No result is stored for that call."
    UNKNOWN_SERVER = "unknown_server", "No such server of tools is known."
    UNKNOWN_TOOL = "unknown_tool", "No such tool is on offer."
    UNSAVED = "unsaved", "Unsaved changes would be lost."
    UNWRITABLE = "unwritable", "The path cannot be written."
    WRONG_KIND = "wrong_kind", "The item is of another kind."
