"""Session of a notebook: the streams, names and utilities that its cells share. Runs cells by language."""

import os
import re
import shlex
import sys

from . import ipython_shell, jupyter, source_format
from .output_recorder import CellTooLarge, OutputRecorder, Tee, format_bytes
from .commands import run_shell_cell
from .dbutils import Dbutils
from .cell_errors import CellError, NotebookEnded, NotebookExit, PythonRestart
from .figures import FigureDisplay
from .line_magics import UnknownMagic
from .namespace import PlainShell, create_main_module
from .packages import Packages
from .workspace_paths import NotebookNotFound, find_notebook_file, resolve_path
from .display import Display
from .spark_session import NotebookSpark
from .sql_cells import SqlCells, show_spark_frame
from .error_description import cell_file_name, describe_error

#: Maximum nesting depth of %run.
DEPTH_MAX = 20
ARGUMENT = re.compile(r"\$(\w+)\s*=\s*(.*)$", re.DOTALL)


class NotebookSession:
    """`task`: content of the task file; `cells`: cells of the notebook; `widgets`: widgets declared before a
    restart of Python."""

    def __init__(self, task, cells, widgets=None):
        self.task = task
        self.recorder = OutputRecorder(task["cellBytes"])
        self.display = Display(self.recorder)
        self.dbutils = Dbutils(task, widgets)
        self.packages = Packages(task["packages"], task["managedFs"])
        module = create_main_module(
            {
                "dbutils": self.dbutils,
                "display": self.display.display,
                "displayHTML": self.display.display_html,
                "getArgument": self.dbutils.widgets.getArgument,
            }
        )
        sys.stdout = Tee("stdout", sys.stdout, self.recorder)
        sys.stderr = Tee("stderr", sys.stderr, self.recorder)
        self.figures = FigureDisplay(self.display)
        self.shell = (
            ipython_shell.IPythonShell(module, self.packages, self.display)
            if ipython_shell.needs_ipython(cells)
            else PlainShell(module, self.packages)
        )
        self.names = module.__dict__
        self.sql = SqlCells([*task["sql"], task["managedFs"]], self.names, self.recorder)
        # Undefined on a cluster without Spark.
        choice = task.get("spark")
        self.spark = None if choice is None else NotebookSpark(self.names)
        self.sql_on_spark = choice is not None and choice["sql"] == "spark"
        # Paths of the running notebooks, outermost first.
        self.run_stack = [task["path"]]
        self.process = os.getpid()

    def run_cell(self, cell):
        """Runs a cell and shows its value. May raise CellError, NotebookEnded or PythonRestart."""
        failure, ended = None, False
        try:
            self.run_by_language(cell, cell_file_name(cell.position))
            self.figures.flush()
        except (CellTooLarge, NotebookExit, PythonRestart):
            pass
        except CellError as error:
            failure = error
        except SystemExit as error:
            failure = None if error.code in (None, 0) else CellError(*describe_error(error))
            ended = failure is None
        except (UnknownMagic, NotebookNotFound, jupyter.InvalidNotebook) as error:
            failure = CellError(str(error))
        except BaseException as error:
            failure = CellError(*describe_error(error))
        if os.getpid() != self.process:
            # The cell forked and returned in the child: only the parent continues the notebook.
            os._exit(0)
        # Check flags, not exceptions: a bare `except:` in the cell may have caught the exception.
        if self.recorder.overflowed:
            raise CellError(
                "Cell %d exceeded the output limit of %s. The rest of the run was cancelled."
                % (cell.position, format_bytes(self.recorder.limit))
            )
        if failure is not None:
            raise failure
        if ended or self.dbutils.notebook.exit_value is not None:
            raise NotebookEnded()
        if self.dbutils.library.restart:
            raise PythonRestart()

    def run_by_language(self, cell, filename):
        """Runs a cell by its language."""
        if cell.language == "python":
            if self.spark is not None:
                self.spark.prepare(cell.source)
            value = self.shell.run(cell.source, filename)
            if value is not None:
                self.display.show(value)
        elif cell.language == "shell":
            run_shell_cell(cell.body, cell.argument)
        elif cell.language == "pip":
            for line in join_continued_lines(cell.body):
                self.packages.pip(re.sub(r"^\s*%{1,2}pip\b", "", line))
        elif cell.language == "sql":
            self.run_sql(cell.body, self.dbutils.widgets.getAll())
        elif cell.language == "run":
            self.run_notebook(cell.argument)
        elif cell.language.startswith("%"):
            raise CellError(
                "Cell %d is a %s cell, which is not supported in a Python notebook. Supported are Python, %%md, %%sql, "
                "%%sh, %%pip and %%run." % (cell.position, cell.language)
            )

    def run_sql(self, body, parameters):
        """Runs a %sql cell in the session of the notebook, or in DuckDB on a cluster without Spark."""
        if not self.sql_on_spark:
            return self.sql.run(body, parameters)
        frame = self.spark.sql(body, parameters, self.dbutils.widgets)
        if frame is not None:
            show_spark_frame(frame, self.names, self.recorder)
        return None

    def run_notebook(self, argument):
        """Runs `%run ./other $name="value"`: the cells of another notebook in this session."""
        words = shlex.split(argument, comments=True)
        if not words:
            raise CellError("%run requires the path of a notebook, for example: %run ./other")
        try:
            path = resolve_path(words[0], self.run_stack[-1])
        except ValueError as error:
            raise CellError(str(error)) from None
        known = [without_extension(each) for each in self.run_stack]
        if without_extension(path) in known:
            chain = " -> ".join(self.run_stack[known.index(without_extension(path)) :] + [path])
            raise CellError("%%run of %s would not end: the notebooks form a cycle (%s)." % (path, chain))
        if len(self.run_stack) > DEPTH_MAX:
            raise CellError(
                "%%run of %s is nested %d deep; at most %d are allowed."
                % (path, len(self.run_stack), DEPTH_MAX)
            )
        try:
            file = find_notebook_file(self.task["workspace"], path)
        except NotebookNotFound as error:
            raise CellError("%%run %s: %s" % (words[0], error)) from None
        cells = read_cells(file)
        outer = self.dbutils.widgets.replace_parameters(parse_arguments(words[1:]))
        self.run_stack.append(path)
        try:
            for cell in cells:
                self.run_by_language(cell, "%s, cell %d" % (path, cell.position))
        finally:
            self.run_stack.pop()
            self.dbutils.widgets.replace_parameters(None, outer)


def read_cells(file):
    """Returns the cells of a notebook file. Raises UnicodeDecodeError and InvalidNotebook."""
    with open(file, encoding="utf-8-sig", newline="") as content:
        text = content.read()
    if file.lower().endswith(".ipynb"):
        return jupyter.parse_notebook(text)
    return source_format.parse_sql_cells(text) if file.lower().endswith(".sql") else source_format.parse_cells(text)


def parse_arguments(words):
    """Parses the `$name=value` arguments of a %run."""
    parsed = {}
    for word in words:
        match = ARGUMENT.match(word)
        if match is None:
            raise CellError('%%run has the argument %r; arguments have the form $name="value".' % word)
        parsed[match.group(1)] = match.group(2)
    return parsed


def join_continued_lines(text):
    """Returns the lines of a text; a line that ends with a backslash is joined with the next."""
    return [line for line in text.replace("\\\n", " ").split("\n") if line.strip()]


def without_extension(path):
    return re.sub(r"\.(py|ipynb)$", "", path)
