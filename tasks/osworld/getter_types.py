"""What a task of OSWorld asks a guest, a store or itself for, to be judged: files, what the system
says, rules.

A key that a getter does not know is ignored, as OSWorld does.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, model_validator

from ambidex.tasks.osworld.relative_dates import RelativeRules
from ambidex.tasks.osworld.setup_steps import Command, Flag

__all__ = [
    "AccessibilityTree",
    "Asked",
    "BackgroundInSlide",
    "CacheFile",
    "CloudFile",
    "CommandOutput",
    "ContentOfFile",
    "Directory",
    "GimpFile",
    "GoogleDriveFile",
    "GuestFile",
    "RelativeRule",
    "Rule",
    "ScreenSize",
    "Shortcuts",
    "SoundInSlide",
    "TerminalOutput",
    "VideoPlayer",
    "VlcConfig",
    "VlcStatus",
    "VscodeFile",
    "Wallpaper",
    "WindowSize",
]


class Asked(BaseModel):
    """One getter with what it is given."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class Files(Asked):
    """One file, or with `multi` several, of which `gives` says which are judged."""

    path: str | list[str]
    dest: str | list[str]
    multi: Flag = False
    gives: list[int] = [0]

    @model_validator(mode="after")
    def _agrees(self) -> Files:
        several = isinstance(self.path, list), isinstance(self.dest, list)
        if self.multi and not all(several):
            raise ValueError("with multi, path and dest are lists")
        if not self.multi and any(several):
            raise ValueError("without multi, path and dest are one each")
        return self

    def pairs(self) -> list[tuple[str, str]]:
        """Each path and the name under which it is kept; one without its partner is not fetched."""
        paths = self.path if isinstance(self.path, list) else [self.path]
        names = self.dest if isinstance(self.dest, list) else [self.dest]
        return list(zip(paths, names, strict=False))

    def given(self) -> list[int]:
        """Which of them are judged, in the order of the files."""
        wanted = set(self.gives)
        return [index for index in range(len(self.pairs())) if index in wanted]


class GuestFile(Files):
    """Files of the guest."""

    type: Literal["vm_file"]
    time_suffix: Flag = False
    """The moment of fetching is put into the name under which it is kept."""
    time_format: str = "%Y%m%d_%H%M%S"


class CloudFile(Files):
    """Files of the benchmark, from the asset store."""

    type: Literal["cloud_file"]


class CacheFile(Asked):
    """A file that a step kept."""

    type: Literal["cache_file"]
    path: str


class ContentOfFile(Asked):
    """The last row of a workbook's first sheet, as texts."""

    type: Literal["content_from_vm_file"]
    path: str
    file_type: Literal["xlsx"]
    file_content: Literal["last_row"]


class Rule(Asked):
    """What the task itself says."""

    type: Literal["rule"]
    rules: Any


class RelativeRule(Asked):
    """The same with dates that are counted from today."""

    type: Literal["rule_relativeTime"]
    rules: RelativeRules


class CommandOutput(Asked):
    """What a command writes to its output, or to its errors."""

    type: Literal["vm_command_line", "vm_command_error"]
    command: Command
    shell: Flag = False


class TerminalOutput(Asked):
    """The text in the terminal that has the keyboard."""

    type: Literal["vm_terminal_output"]


class AccessibilityTree(Asked):
    """Everything on the desktop as XML."""

    type: Literal["accessibility_tree"]


class Directory(Asked):
    """A folder with all below it."""

    type: Literal["list_directory"]
    path: str


class ScreenSize(Asked):
    """Of the screen."""

    type: Literal["vm_screen_size"]


class WindowSize(Asked):
    """Of the first window of that class."""

    type: Literal["vm_window_size"]
    app_class_name: str


class Wallpaper(Asked):
    """The picture behind the windows."""

    type: Literal["vm_wallpaper"]
    dest: str


class Shortcuts(Asked):
    """The starters on the desktop, by name, with their contents."""

    type: Literal["shortcuts_on_desktop"]


class VideoPlayer(Asked):
    """The application that most kinds of film open with."""

    type: Literal["default_video_player"]


class VlcConfig(Asked):
    """VLC's settings file."""

    type: Literal["vlc_config"]
    dest: str


class VlcStatus(Asked):
    """What VLC says that it plays."""

    type: Literal["vlc_playing_info"]
    dest: str


class GimpFile(Asked):
    """A file of GIMP's settings."""

    type: Literal["gimp_config_file"]
    file_name: str
    dest: str


class VscodeFile(Asked):
    """A file that VS Code writes by a command of an extension."""

    type: Literal["vscode_config"]
    vscode_extension_command: str
    path: str
    dest: str


class SoundInSlide(Asked):
    """The sound of a slide."""

    type: Literal["audio_in_slide"]
    ppt_file_path: str
    slide_index: int
    dest: str


class BackgroundInSlide(Asked):
    """The picture behind a slide."""

    type: Literal["background_image_in_slide"]
    ppt_file_path: str
    slide_index: int
    dest: str


class GoogleDriveFile(BaseModel):
    """A file of a Google Drive; not carried out here."""

    model_config = ConfigDict(extra="allow", frozen=True)
    type: Literal["googledrive_file"]
    dest: str | list[str]
