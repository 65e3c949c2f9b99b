"""OSWorld's 47 getters as data: values fetched from a guest, a store or a site for judging.

Their arguments are in `tasks.osworld.getter_types` and `tasks.osworld.web_getter_types`;
`host.osworld` carries them out.
"""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field, TypeAdapter

from ambidex.tasks.osworld import getter_types as general
from ambidex.tasks.osworld import web_getter_types as web
from ambidex.tasks.osworld.setup_steps import kinds_of

__all__ = ["GETTERS", "Getter", "parse_getter"]

Getter: TypeAlias = (
    general.AccessibilityTree
    | web.ActiveTab
    | web.ActiveUrl
    | web.AppearanceMode
    | general.BackgroundInSlide
    | general.CacheFile
    | general.CloudFile
    | general.CommandOutput
    | general.ContentOfFile
    | general.Directory
    | web.FromSite
    | general.GimpFile
    | general.GoogleDriveFile
    | general.GuestFile
    | web.HtmlParse
    | web.OpenTabsInfo
    | web.PageInfo
    | web.PdfFromUrl
    | web.Profile
    | web.ProfileTable
    | web.RecreationPage
    | general.RelativeRule
    | general.Rule
    | general.ScreenSize
    | general.Shortcuts
    | general.SoundInSlide
    | general.TerminalOutput
    | web.UrlParse
    | web.UrlPart
    | web.UrlPath
    | general.VideoPlayer
    | general.VlcConfig
    | general.VlcStatus
    | general.VscodeFile
    | general.Wallpaper
    | general.WindowSize
)
ADAPTER: TypeAdapter[Getter] = TypeAdapter(Annotated[Getter, Field(discriminator="type")])


def parse_getter(raw: object) -> Getter:
    """Validate a getter; raises pydantic's `ValidationError`."""
    return ADAPTER.validate_python(raw)


GETTERS = kinds_of(Getter.__args__)
"""The names of all getters."""
