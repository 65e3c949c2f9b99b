"""The 47 getters of OSWorld as data: what is fetched from a guest, a store or a site to be judged.

Their arguments are in `tasks.osworld.getter_types` and `tasks.osworld.web_getter_types`;
`host.osworld` carries them out.
"""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field, TypeAdapter

from ambidex.tasks.osworld import getter_types as asked
from ambidex.tasks.osworld import web_getter_types as web
from ambidex.tasks.osworld.setup_steps import kinds_of

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
