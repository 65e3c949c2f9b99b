"""A module of Synapse that serves the web client at /app/."""

from twisted.web.static import File


class ChatPage:
    """Serves a folder of files."""

    def __init__(self, config, api):
        api.register_web_resource("/app", File(config["folder"]))

    @staticmethod
    def parse_config(config):
        """The module's part of the configuration, as it is."""
        return config
