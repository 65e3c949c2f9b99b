"""Running machines under libvirt: instances, their display and door, and their snapshots."""
