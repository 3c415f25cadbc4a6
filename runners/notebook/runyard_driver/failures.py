"""How a cell, or the whole notebook, comes to an end before its last line."""
from .capture import clean


class CellFailed(Exception):
    """How a cell failed, in words."""

    def __init__(self, summary, trace=None):
        super().__init__(summary)
        self.summary = clean(summary)
        self.trace = clean(trace or summary)


class EndOfNotebook(Exception):
    """The notebook asked to end here, successfully."""


class NotebookExit(BaseException):
    """The exit call. Not an Exception, so that the notebook's own handlers let it pass."""


class RestartPython(BaseException):
    """The notebook asked for a fresh Python process for its next cells."""
