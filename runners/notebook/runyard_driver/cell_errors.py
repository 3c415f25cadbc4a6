"""How a cell, or the whole notebook, comes to an end before its last line."""
from .output_recorder import escape_surrogates


class CellError(Exception):
    """How a cell failed, in words."""

    def __init__(self, summary, trace=None):
        super().__init__(summary)
        self.summary = escape_surrogates(summary)
        self.trace = escape_surrogates(trace or summary)


class NotebookEnded(Exception):
    """The notebook asked to end here, successfully."""


class NotebookExit(BaseException):
    """The exit call. Not an Exception, so that the notebook's own handlers let it pass."""


class PythonRestart(BaseException):
    """The notebook asked for a fresh Python process for its next cells."""
