"""Runs the cells of one notebook in order, in one namespace, and reports the output of each cell.

    python3 driver.py <task file> [<first cell> <state file>]

The task file is JSON: `notebook` (file to run), `path` (its path in the workspace), `parameters` (name to
text), `values` (see TaskValues), `report` (file to write), `cellBytes` (maximum output of a cell), `packages`
(directory for %pip), `questions` (directory of the EngineClient), `sql` (command of the process for %sql
cells). RUNYARD_WORKSPACE and RUNYARD_MANAGED_FS name the directories of the workspace and of managed_fs. The
driver passes the other arguments itself when it restarts Python.
Exit code 0: the notebook succeeded. 1: it failed, and the report holds the error. Anything else: a crash.
Python 3.8 or newer, standard library only.
"""

import atexit
import faulthandler
import json
import os
import sys

# No __pycache__ in the installation directory of the service.
writes_bytecode, sys.dont_write_bytecode = sys.dont_write_bytecode, True
from runyard_driver.output_recorder import escape_surrogates  # noqa: E402
from runyard_driver.cell_errors import CellError, NotebookEnded, PythonRestart  # noqa: E402
from runyard_driver.jupyter import InvalidNotebook  # noqa: E402
from runyard_driver.workspace_paths import resolve_path  # noqa: E402
from runyard_driver.report import InterimWriter, Report  # noqa: E402
from runyard_driver.session import NotebookSession, read_cells  # noqa: E402

sys.dont_write_bytecode = writes_bytecode


def main():
    program, arguments = os.path.abspath(sys.argv[0]), sys.argv[1:]
    with open(arguments[0], encoding="utf-8") as file:
        task = json.load(file)
    task["path"] = resolve_path(task["path"], "/")
    task["workspace"] = os.environ["RUNYARD_WORKSPACE"]
    task["managedFs"] = os.environ["RUNYARD_MANAGED_FS"]
    faulthandler.enable()
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace", line_buffering=True)
    sys.path[0] = os.path.join(task["workspace"], os.path.dirname(task["path"]).lstrip("/"))
    sys.path.append(task["workspace"])
    sys.argv = [task["path"]]
    return run_notebook(
        task,
        lambda position, widgets: restart([program, arguments[0]], task, position, widgets),
        *arguments[1:],
    )


def run_notebook(task, restart_python, first="1", state=None):
    """Runs the cells until one fails or exits, and returns the exit code of the process."""
    previous_cells, widgets = (None, None) if state is None else read_restart_state(task, state)
    try:
        cells = read_cells(task["notebook"])
    except UnicodeDecodeError as error:
        return fail_notebook(Report(task, []), 0, CellError("The notebook is not valid UTF-8: %s." % error))
    except InvalidNotebook as error:
        return fail_notebook(Report(task, []), 0, CellError(str(error)))
    report = Report(task, cells, previous_cells)
    session = NotebookSession(task, cells, widgets)
    interim = InterimWriter(report, session.recorder)
    interim.start()
    for cell in cells[int(first) - 1 :]:
        report.start_cell(cell.position)
        if cell.language == "markdown":
            report.end_cell(cell.position, "finished", [])
            continue
        report.write()
        ending = None
        interim.start_cell(cell.position)
        try:
            session.run_cell(cell)
        except (CellError, NotebookEnded, PythonRestart) as raised:
            ending = raised
        interim.end_cell()
        if isinstance(ending, CellError):
            return fail_notebook(report, cell.position, ending, session.recorder.outputs())
        report.end_cell(cell.position, "finished", session.recorder.outputs())
        if isinstance(ending, NotebookEnded):
            break
        if isinstance(ending, PythonRestart):
            report.write()
            restart_python(cell.position + 1, session.dbutils.widgets.declared())
    session.sql.close()
    value = session.dbutils.notebook.exit_value
    report.end(**({} if value is None else {"exitValue": escape_surrogates(value)}))
    return 0 if value is None else end_process(0)


def end_process(code):
    """Ends the process at once, although threads of the notebook may be alive. Handlers of atexit run."""
    try:
        atexit._run_exitfuncs()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def restart(command, task, position, widgets):
    """Replaces this process by a new Python process that continues with the cell at this position."""
    state = task["report"] + ".restart"
    with open(state, "w", encoding="utf-8") as file:
        json.dump(widgets, file)
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(sys.executable, [sys.executable, *command, str(position), state])


def read_restart_state(task, state):
    """Returns the cells of the report and the widgets from before the restart of Python."""
    with open(state, encoding="utf-8") as file:
        widgets = json.load(file)
    with open(task["report"], encoding="utf-8") as file:
        return json.load(file)["cells"], widgets


def fail_notebook(report, position, failure, outputs=()):
    """Ends the report with an error. The trace goes to the log as well."""
    if position > 0:
        shown = {"type": "error", "summary": failure.summary, "trace": failure.trace}
        report.end_cell(position, "failed", [*outputs, shown])
    report.end(error={"summary": failure.summary, "trace": failure.trace, "cell": position})
    sys.__stderr__.write(failure.trace + "\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
