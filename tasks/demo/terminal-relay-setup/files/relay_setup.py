"""Asks how the weather relay is to be set up, and writes ~/relay/relay.ini once everything is confirmed."""

import configparser
import hashlib
import pathlib
import sys


def ask(question, accept):
    while True:
        answer = input(question + " ").strip()
        if accept(answer):
            return answer
        print("  That will not do, once more please.")


def main():
    print("Weather relay - first setup\n")
    station = ask("Station name:", lambda each: each != "")
    port = ask("Port to listen on (1024-65535):", lambda each: each.isdigit() and 1024 <= int(each) <= 65535)
    units = ask("Units, metric or imperial:", lambda each: each in ("metric", "imperial"))
    start = ask("Start with the session? (y/n)", lambda each: each in ("y", "n"))
    print(f"\n  {station}, port {port}, {units}, start with the session: {start}")
    if ask("Write this? (y/n)", lambda each: each in ("y", "n")) == "n":
        sys.exit("Nothing was written.")
    seal = hashlib.sha256("/".join((station, port, units, start)).encode()).hexdigest()[:12]
    config = configparser.ConfigParser()
    config["relay"] = {"station": station, "port": port, "units": units, "autostart": start, "seal": seal}
    folder = pathlib.Path.home() / "relay"
    folder.mkdir(exist_ok=True)
    with open(folder / "relay.ini", "w", encoding="utf-8") as target:
        config.write(target)
    print("\nDone. The relay is set up.")
    input("Press Enter to close.")


main()
