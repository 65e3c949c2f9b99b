"""Questions about the desktop, which the host asks by name; most are for the OSWorld adapter."""
