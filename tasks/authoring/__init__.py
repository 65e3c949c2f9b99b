"""What authors use to make the instances of a task. Nothing here runs when a suite is loaded.

A task's `make.py` defines one function:

    def make(number: int, random: Random, files: Path) -> dict[str, Any]:

It writes the files of the instance of that number into the folder `files` (which is
`files/<number>/` in the task) and returns the instance's values. All that varies is drawn from
`random`, so that the same number always gives the same files and values.

    python -m ambidex.tasks.authoring tasks/office/calc-aging

writes them anew, and `instances.toml` too. A test compares what is committed with what `make.py`
writes.
"""
