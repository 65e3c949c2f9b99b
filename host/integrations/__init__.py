"""Bridges to the formats and protocols of other projects. Nothing outside of this room and the
command line imports it; each bridge uses the types of the other project's own package."""
