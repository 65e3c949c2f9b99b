"""The 47 getters of OSWorld as data: what is fetched from a guest, a store or a site to be judged.

What each is given is in `tasks.osworld_asked` and `tasks.osworld_asked_web`; `host.osworld` carries
them out.
"""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field, TypeAdapter

from tasks import osworld_asked as asked
from tasks import osworld_asked_web as web
from tasks.osworld_steps import kinds_of

__all__ = ["GETTERS", "Getter", "parse_getter"]

Getter: TypeAlias = (
    asked.AccessibilityTree
    | web.ActiveTab
    | web.ActiveUrl
    | web.AppearanceMode
    | asked.BackgroundInSlide
    | asked.CacheFile
    | asked.CloudFile
    | asked.CommandOutput
    | asked.ContentOfFile
    | asked.Directory
    | web.FromSite
    | asked.GimpFile
    | asked.GoogleDriveFile
    | asked.GuestFile
    | web.HtmlParse
    | web.OpenTabsInfo
    | web.PageInfo
    | web.PdfFromUrl
    | web.Profile
    | web.ProfileTable
    | web.RecreationPage
    | asked.RelativeRule
    | asked.Rule
    | asked.ScreenSize
    | asked.Shortcuts
    | asked.SoundInSlide
    | asked.TerminalOutput
    | web.UrlParse
    | web.UrlPart
    | web.UrlPath
    | asked.VideoPlayer
    | asked.VlcConfig
    | asked.VlcStatus
    | asked.VscodeFile
    | asked.Wallpaper
    | asked.WindowSize
)
ADAPTER: TypeAdapter[Getter] = TypeAdapter(Annotated[Getter, Field(discriminator="type")])


def parse_getter(said: object) -> Getter:
    """The getter; pydantic's error where it is none."""
    return ADAPTER.validate_python(said)


GETTERS = kinds_of(Getter.__args__)
"""The names of all getters."""
