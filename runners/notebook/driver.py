"""Runs one notebook: its cells in order, in one namespace, with a report of what each of them showed.

    python3 driver.py <task file>

The task file is JSON: `notebook` (the file to run), `path` (its name in the workspace), `folder` (where its own
imports are found), `parameters` (name to text), `values` (see TaskValues), `report` (the file to write), `cellBytes`
(most output of a cell).
Exit code 0: the notebook succeeded. 1: it failed, and the report says how. Anything else: the process crashed.
Python 3.8 or newer, standard library only.
"""
import faulthandler
import json
import sys

# The folder of the service stays as it was installed.
writes_bytecode, sys.dont_write_bytecode = sys.dont_write_bytecode, True
from runyard_driver.capture import CellTooLarge, Display, Recorder, Tee, clean  # noqa: E402
from runyard_driver.dbutils import NotebookExit, Utilities  # noqa: E402
from runyard_driver.namespace import Namespace  # noqa: E402
from runyard_driver.report import Report  # noqa: E402
from runyard_driver.source import cut  # noqa: E402
from runyard_driver.trace import cell_file, describe  # noqa: E402
sys.dont_write_bytecode = writes_bytecode


class CellFailed(Exception):
    """How a cell failed, in words."""

    def __init__(self, summary, trace=None):
        super().__init__(summary)
        self.summary = clean(summary)
        self.trace = clean(trace or summary)


class EndOfNotebook(Exception):
    """The notebook asked to end here, successfully."""


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        task = json.load(file)
    faulthandler.enable()
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace", line_buffering=True)
    sys.path[0] = task["folder"]
    sys.argv = [task["path"]]
    return run_notebook(task)


def run_notebook(task):
    """Runs the cells until one fails or exits, and returns the exit code of the process."""
    try:
        cells = read_cells(task["notebook"])
    except UnicodeDecodeError as error:
        return fail(Report(task, []), 0, CellFailed("The notebook is not UTF-8 text: %s." % error))
    report = Report(task, cells)
    session = Session(task)
    for cell in cells:
        report.start_cell(cell.position)
        if cell.language == "markdown":
            report.end_cell(cell.position, "finished", [])
            continue
        report.write()
        try:
            session.run_cell(cell)
        except CellFailed as failure:
            return fail(report, cell.position, failure, session.recorder.outputs())
        except EndOfNotebook:
            report.end_cell(cell.position, "finished", session.recorder.outputs())
            break
        report.end_cell(cell.position, "finished", session.recorder.outputs())
    value = session.utilities.notebook.exit_value
    report.end(**({} if value is None else {"exitValue": clean(value)}))
    return 0


def read_cells(file):
    with open(file, encoding="utf-8-sig", newline="") as source:
        return cut(source.read())


class Session:
    """The streams, the names and the utilities that the cells of a notebook share."""

    def __init__(self, task):
        self.recorder = Recorder(task["cellBytes"])
        self.shown = Display(self.recorder)
        self.utilities = Utilities(task["parameters"], task["values"])
        self.namespace = Namespace({
            "dbutils": self.utilities,
            "display": self.shown.display,
            "displayHTML": self.shown.display_html,
            "getArgument": self.utilities.widgets.getArgument,
        })
        sys.stdout = Tee("stdout", sys.stdout, self.recorder)
        sys.stderr = Tee("stderr", sys.stderr, self.recorder)

    def run_cell(self, cell):
        """Runs a cell and shows its value. Raises CellFailed, or EndOfNotebook when the notebook ends with this cell."""
        self.recorder.start_cell()
        if cell.language != "python":
            raise CellFailed("Cell %d is a %%%s cell, which Runyard does not run yet: only Python and Markdown cells are "
                             "supported." % (cell.position, cell.language))
        ended = False
        try:
            value = self.namespace.run(cell.source, cell_file(cell.position))
            if value is not None:
                self.shown.display(value)
        except (CellTooLarge, NotebookExit):
            pass
        except SystemExit as error:
            if error.code not in (None, 0):
                raise CellFailed(*describe(error)) from None
            ended = True
        except BaseException as error:
            raise CellFailed(*describe(error)) from None
        # Both are asked of their owners: a bare `except:` in the cell swallows the exception, not the fact.
        if self.recorder.overflowed:
            raise CellFailed("Cell %d produced more than %d bytes of output, the most that a cell may show. The rest of "
                             "the run was cancelled." % (cell.position, self.recorder.limit))
        if ended or self.utilities.notebook.exit_value is not None:
            raise EndOfNotebook()


def fail(report, position, failure, outputs=()):
    """Ends the report with a failure. The trace goes to the log as well, where people look first."""
    if position > 0:
        shown = {"type": "error", "summary": failure.summary, "trace": failure.trace}
        report.end_cell(position, "failed", [*outputs, shown])
    report.end(error={"summary": failure.summary, "trace": failure.trace, "cell": position})
    sys.__stderr__.write(failure.trace + "\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
