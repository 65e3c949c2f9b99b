"""What a task of OSWorld asks the browser, its profile or a site for, to be judged."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from ambidex.tasks.osworld.getter_types import Asked
from ambidex.tasks.osworld.setup_steps import Flag

__all__ = [
    "ActiveTab",
    "ActiveUrl",
    "AppearanceMode",
    "FromSite",
    "HtmlParse",
    "OpenTabsInfo",
    "PageInfo",
    "PdfFromUrl",
    "Profile",
    "ProfileTable",
    "RecreationPage",
    "UrlParse",
    "UrlPart",
    "UrlPath",
]


class Web(Asked, BaseModel):
    """One of these; that it is a model is said again for the linter, which reads one file."""


class Profile(Web):
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


class ProfileTable(Web):
    """Rows of a database of the browser's profile."""

    type: Literal["cookie_data", "history"]
    dest: str = ""


class AppearanceMode(Web):
    """Whether the browser is light, dark, or as the system is."""

    type: Literal["chrome_appearance_mode_ui"]


class OpenTabsInfo(Web):
    """Title and URL of every tab."""

    type: Literal["open_tabs_info"]


class PageInfo(Web):
    """Title, URL and HTML of a page, opened for it."""

    type: Literal["page_info"]
    url: str


class ActiveUrl(Web):
    """What stands in the browser's address bar, with a prefix."""

    type: Literal["active_url_from_accessTree"]
    goto_prefix: str = "https://"


class ActiveTab(Web):
    """Title, URL and HTML of the page at that address, opened again."""

    type: Literal["active_tab_info"]
    goto_prefix: str = "https://"


class UrlParse(Web):
    """Values of the address's query."""

    type: Literal["active_tab_url_parse"]
    goto_prefix: str = "https://"
    parse_keys: list[str]
    replace: dict[str, str] = {}
    split_list: Flag = False


class UrlPart(Web):
    """One part of the address between slashes."""

    type: Literal["url_dashPart"]
    goto_prefix: str = "https://"
    partIndex: int
    needDeleteId: Flag = False
    returnType: Literal["string", "json"]
    key: str = ""


class UrlPath(Web):
    """What one shop's addresses say of the goods that are listed."""

    type: Literal["url_path_parse"]
    goto_prefix: str = "https://"
    parse_keys: list[str]


class HtmlParse(Web):
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


class SiteInfo(Web):
    """One text of a site."""

    action: Literal["inner_text", "attribute", "click_and_inner_text", "click_and_attribute"] = (
        "inner_text"
    )
    selector: str | list[str]
    attribute: str = ""


class FromSite(Web):
    """Texts of a site, or what the task gives instead where the site cannot be had."""

    type: Literal["info_from_website"]
    url: str
    infos: list[SiteInfo] = []
    backups: Any = None


class RecreationPage(Web):
    """What one site says of the next free day of a camp."""

    type: Literal["gotoRecreationPage_and_get_html_content"]
    selector: str
    class_: Annotated[str, Field(alias="class")]
    order: str | int | None = None


class PdfFromUrl(Web):
    """A page of a site, printed."""

    type: Literal["pdf_from_url"]
    path: str
    dest: str
