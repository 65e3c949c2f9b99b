"""`python -m host` is `ambidex`."""

from host.cli import main

main()
