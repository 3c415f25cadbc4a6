"""Exceptions that end a cell, or the whole notebook, early."""

from .output_recorder import escape_surrogates


class CellError(Exception):
    """A cell failed. `summary` is one line, `trace` the traceback."""

    def __init__(self, summary, trace=None):
        super().__init__(summary)
        self.summary = escape_surrogates(summary)
        self.trace = escape_surrogates(trace or summary)


class NotebookEnded(Exception):
    """The notebook ends successfully with this cell."""


class NotebookExit(BaseException):
    """Raised by dbutils.notebook.exit. Not an Exception: handlers in the notebook must not catch it."""


class PythonRestart(BaseException):
    """The notebook requests a new Python process for its next cells."""
