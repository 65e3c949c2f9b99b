"""The 47 getters of OSWorld as data: what is fetched from a guest, a store or a site to be judged.

`host.osworld` carries them out. A key that a getter does not know is ignored, as OSWorld does.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, model_validator

from tasks.osworld_steps import Command, Flag, kinds_of
from tasks.osworld_time import RelativeRules

__all__ = [
    "GETTERS",
    "AccessibilityTree",
    "ActiveTab",
    "ActiveUrl",
    "AppearanceMode",
    "BackgroundInSlide",
    "CacheFile",
    "CloudFile",
    "CommandOutput",
    "ContentOfFile",
    "Directory",
    "FromSite",
    "Getter",
    "GimpFile",
    "GoogleDriveFile",
    "GuestFile",
    "HtmlParse",
    "OpenTabsInfo",
    "PageInfo",
    "PdfFromUrl",
    "Profile",
    "ProfileTable",
    "RecreationPage",
    "RelativeRule",
    "Rule",
    "ScreenSize",
    "Shortcuts",
    "SoundInSlide",
    "TerminalOutput",
    "UrlParse",
    "UrlPart",
    "UrlPath",
    "VideoPlayer",
    "VlcConfig",
    "VlcStatus",
    "VscodeFile",
    "Wallpaper",
    "WindowSize",
    "parse_getter",
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


class Profile(Asked):
    """One thing that the browser's profile says."""

    type: Literal[
        "bookmarks",
        "chrome_font_size",
        "data_delete_automacally",
        "default_search_engine",
        "enable_do_not_track",
        "enable_safe_browsing",
        "find_installed_extension_name",
        "find_unpacked_extension_path",
        "new_startup_page",
        "profile_name",
    ]


class ProfileTable(Asked):
    """Rows of a database of the browser's profile."""

    type: Literal["cookie_data", "history"]
    dest: str = ""


class AppearanceMode(Asked):
    """Whether the browser is light, dark, or as the system is."""

    type: Literal["chrome_appearance_mode_ui"]


class OpenTabsInfo(Asked):
    """Title and URL of every tab."""

    type: Literal["open_tabs_info"]


class PageInfo(Asked):
    """Title, URL and HTML of a page, opened for it."""

    type: Literal["page_info"]
    url: str


class ActiveUrl(Asked):
    """What stands in the browser's address bar, with a prefix."""

    type: Literal["active_url_from_accessTree"]
    goto_prefix: str = "https://"


class ActiveTab(Asked):
    """Title, URL and HTML of the page at that address, opened again."""

    type: Literal["active_tab_info"]
    goto_prefix: str = "https://"


class UrlParse(Asked):
    """Values of the address's query."""

    type: Literal["active_tab_url_parse"]
    goto_prefix: str = "https://"
    parse_keys: list[str]
    replace: dict[str, str] = {}
    split_list: Flag = False


class UrlPart(Asked):
    """One part of the address between slashes."""

    type: Literal["url_dashPart"]
    goto_prefix: str = "https://"
    partIndex: int
    needDeleteId: Flag = False
    returnType: Literal["string", "json"]
    key: str = ""


class UrlPath(Asked):
    """What one shop's addresses say of the goods that are listed."""

    type: Literal["url_path_parse"]
    goto_prefix: str = "https://"
    parse_keys: list[str]


class HtmlParse(Asked):
    """Texts of the page in front, found by class, label, XPath or as input."""

    type: Literal["active_tab_html_parse"]
    goto_prefix: str = "https://"
    category: Literal["class", "label", "xpath", "input", "class&url"]
    class_singleObject: dict[str, str] = {}
    class_multiObject: dict[str, dict[str, str] | list[str]] = {}
    class_multiObject_child: dict[str, dict[str, str]] = {}
    class_multiObject_only_child: dict[str, dict[str, str]] = {}
    class_multiObject_search_exist: dict[str, list[str]] = {}
    class_multiObject_li: dict[str, list[str]] = {}
    labelObject: dict[str, str] = {}
    xpathObject: dict[str, str] = {}
    inputObject: dict[str, str] = {}
    url_include_expected: list[str] = []
    url_include_expected_multichoice: dict[str, str] = {}


class GoogleDriveFile(BaseModel):
    """A file of a Google Drive; not carried out here."""

    model_config = ConfigDict(extra="allow", frozen=True)
    type: Literal["googledrive_file"]
    dest: str | list[str]


class SiteInfo(Asked):
    """One text of a site."""

    action: Literal["inner_text", "attribute", "click_and_inner_text", "click_and_attribute"] = (
        "inner_text"
    )
    selector: str | list[str]
    attribute: str = ""


class FromSite(Asked):
    """Texts of a site, or what the task gives instead where the site cannot be had."""

    type: Literal["info_from_website"]
    url: str
    infos: list[SiteInfo] = []
    backups: Any = None


class RecreationPage(Asked):
    """What one site says of the next free day of a camp."""

    type: Literal["gotoRecreationPage_and_get_html_content"]
    selector: str
    class_: Annotated[str, Field(alias="class")]
    order: str | int | None = None


class PdfFromUrl(Asked):
    """A page of a site, printed."""

    type: Literal["pdf_from_url"]
    path: str
    dest: str


Getter: TypeAlias = (
    AccessibilityTree
    | ActiveTab
    | ActiveUrl
    | AppearanceMode
    | BackgroundInSlide
    | CacheFile
    | CloudFile
    | CommandOutput
    | ContentOfFile
    | Directory
    | FromSite
    | GimpFile
    | GoogleDriveFile
    | GuestFile
    | HtmlParse
    | OpenTabsInfo
    | PageInfo
    | PdfFromUrl
    | Profile
    | ProfileTable
    | RecreationPage
    | RelativeRule
    | Rule
    | ScreenSize
    | Shortcuts
    | SoundInSlide
    | TerminalOutput
    | UrlParse
    | UrlPart
    | UrlPath
    | VideoPlayer
    | VlcConfig
    | VlcStatus
    | VscodeFile
    | Wallpaper
    | WindowSize
)
ADAPTER: TypeAdapter[Getter] = TypeAdapter(Annotated[Getter, Field(discriminator="type")])


def parse_getter(said: object) -> Getter:
    """The getter; pydantic's error where it is none."""
    return ADAPTER.validate_python(said)


GETTERS = kinds_of(Getter.__args__)
"""The names of all getters."""
