"""OSWorld's getters of files, system information and rules, as models of their arguments.

Keys that a getter does not know are ignored, as in OSWorld.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, model_validator

from ambidex.tasks.osworld.relative_dates import RelativeRules
from ambidex.tasks.osworld.setup_steps import Command, Flag

__all__ = [
    "AccessibilityTree",
    "BackgroundInSlide",
    "BaseGetter",
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


class BaseGetter(BaseModel):
    """Base of all getters with their arguments."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class Files(BaseGetter):
    """One file or, with `multi`, several, of which `gives` selects those to judge."""

    path: str | list[str]
    dest: str | list[str]
    multi: Flag = False
    gives: list[int] = [0]

    @model_validator(mode="after")
    def _agrees(self) -> Files:
        several = isinstance(self.path, list), isinstance(self.dest, list)
        if self.multi and not all(several):
            raise ValueError("with multi, path and dest must be lists")
        if not self.multi and any(several):
            raise ValueError("without multi, path and dest must be single texts")
        return self

    def pairs(self) -> list[tuple[str, str]]:
        """Each path and the name to store it under; an entry without a counterpart is skipped."""
        paths = self.path if isinstance(self.path, list) else [self.path]
        names = self.dest if isinstance(self.dest, list) else [self.dest]
        return list(zip(paths, names, strict=False))

    def given(self) -> list[int]:
        """Indices of the files to judge, in order."""
        selected = set(self.gives)
        return [index for index in range(len(self.pairs())) if index in selected]


class GuestFile(Files):
    """Files of the guest."""

    type: Literal["vm_file"]
    time_suffix: Flag = False
    """Add the time of fetching to the name under which the file is stored."""
    time_format: str = "%Y%m%d_%H%M%S"


class CloudFile(Files):
    """Files of the benchmark, from the asset store."""

    type: Literal["cloud_file"]


class CacheFile(BaseGetter):
    """A file that a step stored."""

    type: Literal["cache_file"]
    path: str


class ContentOfFile(BaseGetter):
    """The last row of a workbook's first sheet, as texts."""

    type: Literal["content_from_vm_file"]
    path: str
    file_type: Literal["xlsx"]
    file_content: Literal["last_row"]


class Rule(BaseGetter):
    """A rule written in the task itself."""

    type: Literal["rule"]
    rules: Any


class RelativeRule(BaseGetter):
    """A rule with dates relative to today."""

    type: Literal["rule_relativeTime"]
    rules: RelativeRules


class CommandOutput(BaseGetter):
    """The standard output of a command, or its standard error."""

    type: Literal["vm_command_line", "vm_command_error"]
    command: Command
    shell: Flag = False


class TerminalOutput(BaseGetter):
    """The text in the focused terminal."""

    type: Literal["vm_terminal_output"]


class AccessibilityTree(BaseGetter):
    """The accessibility tree of the desktop as XML."""

    type: Literal["accessibility_tree"]


class Directory(BaseGetter):
    """The tree of a folder."""

    type: Literal["list_directory"]
    path: str


class ScreenSize(BaseGetter):
    """The size of the screen."""

    type: Literal["vm_screen_size"]


class WindowSize(BaseGetter):
    """The size of the first window of a class."""

    type: Literal["vm_window_size"]
    app_class_name: str


class Wallpaper(BaseGetter):
    """The desktop's background picture."""

    type: Literal["vm_wallpaper"]
    dest: str


class Shortcuts(BaseGetter):
    """The shortcuts on the desktop by name, with their contents."""

    type: Literal["shortcuts_on_desktop"]


class VideoPlayer(BaseGetter):
    """The default application for most video formats."""

    type: Literal["default_video_player"]


class VlcConfig(BaseGetter):
    """VLC's settings file."""

    type: Literal["vlc_config"]
    dest: str


class VlcStatus(BaseGetter):
    """VLC's status with the medium being played."""

    type: Literal["vlc_playing_info"]
    dest: str


class GimpFile(BaseGetter):
    """A settings file of GIMP."""

    type: Literal["gimp_config_file"]
    file_name: str
    dest: str


class VscodeFile(BaseGetter):
    """A file that VS Code writes when a command of an extension is run."""

    type: Literal["vscode_config"]
    vscode_extension_command: str
    path: str
    dest: str


class SoundInSlide(BaseGetter):
    """The audio on a slide."""

    type: Literal["audio_in_slide"]
    ppt_file_path: str
    slide_index: int
    dest: str


class BackgroundInSlide(BaseGetter):
    """The background picture of a slide."""

    type: Literal["background_image_in_slide"]
    ppt_file_path: str
    slide_index: int
    dest: str


class GoogleDriveFile(BaseModel):
    """A file of a Google Drive; not supported here."""

    model_config = ConfigDict(extra="allow", frozen=True)
    type: Literal["googledrive_file"]
    dest: str | list[str]
