"""OSWorld's getters of the browser, its profile and web sites, as models of their arguments."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from ambidex.tasks.osworld.getter_types import BaseGetter
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


class Web(BaseGetter, BaseModel):
    """Base of these getters. BaseModel is repeated for the linter, which sees only one file."""


class Profile(Web):
    """One value from the browser's profile."""

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
    """Rows from a database in the browser's profile."""

    type: Literal["cookie_data", "history"]
    dest: str = ""


class AppearanceMode(Web):
    """The browser's appearance: light, dark or that of the system."""

    type: Literal["chrome_appearance_mode_ui"]


class OpenTabsInfo(Web):
    """Title and URL of every open tab."""

    type: Literal["open_tabs_info"]


class PageInfo(Web):
    """Title, URL and HTML of a page, which is opened for this purpose."""

    type: Literal["page_info"]
    url: str


class ActiveUrl(Web):
    """The text in the browser's address bar, with a prefix."""

    type: Literal["active_url_from_accessTree"]
    goto_prefix: str = "https://"


class ActiveTab(Web):
    """Title, URL and HTML of the active page, opened again."""

    type: Literal["active_tab_info"]
    goto_prefix: str = "https://"


class UrlParse(Web):
    """Values from the query of the active URL."""

    type: Literal["active_tab_url_parse"]
    goto_prefix: str = "https://"
    parse_keys: list[str]
    replace: dict[str, str] = {}
    split_list: Flag = False


class UrlPart(Web):
    """One part of the active URL between slashes."""

    type: Literal["url_dashPart"]
    goto_prefix: str = "https://"
    partIndex: int
    needDeleteId: Flag = False
    returnType: Literal["string", "json"]
    key: str = ""


class UrlPath(Web):
    """Filters of a product list, encoded in one shop's URLs."""

    type: Literal["url_path_parse"]
    goto_prefix: str = "https://"
    parse_keys: list[str]


class HtmlParse(Web):
    """Texts of the active page, selected by class, label, XPath or input."""

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
    """One text to read from a site."""

    action: Literal["inner_text", "attribute", "click_and_inner_text", "click_and_attribute"] = (
        "inner_text"
    )
    selector: str | list[str]
    attribute: str = ""


class FromSite(Web):
    """Texts from a site, or the task's fallback values if the site is unavailable."""

    type: Literal["info_from_website"]
    url: str
    infos: list[SiteInfo] = []
    backups: Any = None


class RecreationPage(Web):
    """The next available day of a campsite, from one particular site."""

    type: Literal["gotoRecreationPage_and_get_html_content"]
    selector: str
    class_: Annotated[str, Field(alias="class")]
    order: str | int | None = None


class PdfFromUrl(Web):
    """A page of a site, printed to PDF."""

    type: Literal["pdf_from_url"]
    path: str
    dest: str
