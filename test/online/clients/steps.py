"""Runs the steps of a client program and prints one JSON line for each: its name, and its value or its error."""
import json
import sys
import time

_steps = []


def step(name):
    """Registers a function as a step. It runs in the order of registration and returns a JSON value."""

    def register(function):
        _steps.append((name, function))
        return function

    return register


def run_steps():
    """Runs all steps; a failed one does not stop the others. The lines go to the real standard output."""
    report = sys.stdout
    sys.stdout = sys.stderr
    for name, function in _steps:
        line = {"step": name}
        try:
            line["value"] = function()
        except Exception as error:  # The report carries every failure of the client.
            line["error"] = f"{type(error).__name__}: {error}"
        print(json.dumps(line), file=report, flush=True)


def until(what, seconds=60):
    """Calls a function until it answers something true, and returns that."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = what()
        if found:
            return found
        time.sleep(0.2)
    raise TimeoutError("The condition did not hold in time.")


def error_of(action):
    """Returns the error that a call raises, as `Type: message`; fails when it raises none."""
    try:
        action()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    raise AssertionError("The call raised nothing.")
