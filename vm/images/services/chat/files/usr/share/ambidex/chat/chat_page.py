"""A module of Synapse that serves the web client at /app/, and keeps rooms readable in it.

The client is built without the library for encryption. A person who opens a direct message in it
asks for an encrypted room all the same, which the client then cannot read: rooms are made without
encryption, and it cannot be turned on later.
"""

from twisted.web.static import File

ENCRYPTION = "m.room.encryption"


class ChatPage:
    """Serves a folder of files, and refuses encryption."""

    def __init__(self, config, api):
        api.register_web_resource("/app", File(config["folder"]))
        api.register_third_party_rules_callbacks(
            on_create_room=self.leave_out_encryption, check_event_allowed=self.is_allowed
        )

    @staticmethod
    def parse_config(config):
        """The module's part of the configuration, as it is."""
        return config

    async def leave_out_encryption(self, requester, request, is_requester_admin):
        """Take the event that turns encryption on out of a request to create a room."""
        if events := request.get("initial_state"):
            kept = [event for event in events if event.get("type") != ENCRYPTION]
            request["initial_state"] = kept

    async def is_allowed(self, event, state_events):
        """Say whether an event may be sent, and what to send in its place (nothing)."""
        return event.type != ENCRYPTION, None
