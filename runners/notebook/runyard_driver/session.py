"""The streams, the names and the utilities that the cells of a notebook share, and how a cell of each language is run."""
import os
import re
import shlex
import sys

from . import ipython_shell, jupyter, source
from .capture import CellTooLarge, Recorder, Tee
from .commands import shell_cell
from .dbutils import Utilities
from .failures import CellFailed, EndOfNotebook, NotebookExit, RestartPython
from .figures import Figures
from .line_magics import UnknownMagic
from .namespace import PlainShell, main_module
from .packages import Packages
from .places import NotFound, notebook_file, workspace_path
from .rich import Display
from .sql_cells import SqlCells
from .trace import cell_file, describe

#: How deep %run may be nested.
DEPTH_MAX = 20
ARGUMENT = re.compile(r"\$(\w+)\s*=\s*(.*)$", re.DOTALL)


class Session:
    """`task`: what the driver was told; `cells`: those of the notebook; `widgets`: those declared before Python was restarted."""

    def __init__(self, task, cells, widgets=None):
        self.task = task
        self.recorder = Recorder(task["cellBytes"])
        self.shown = Display(self.recorder)
        self.utilities = Utilities(task, widgets)
        self.packages = Packages(task["packages"], task["managedFs"])
        module = main_module({
            "dbutils": self.utilities,
            "display": self.shown.display,
            "displayHTML": self.shown.display_html,
            "getArgument": self.utilities.widgets.getArgument,
        })
        sys.stdout = Tee("stdout", sys.stdout, self.recorder)
        sys.stderr = Tee("stderr", sys.stderr, self.recorder)
        self.figures = Figures(self.shown)
        self.shell = (ipython_shell.IPythonShell(module, self.packages, self.shown) if ipython_shell.wanted(cells)
                      else PlainShell(module, self.packages))
        self.sql = SqlCells([*task["sql"], task["managedFs"]], module.__dict__, self.recorder)
        # The notebooks that are being run, each inside the one before.
        self.including = [task["path"]]
        self.process = os.getpid()

    def run_cell(self, cell):
        """Runs a cell and shows its value. Raises CellFailed, EndOfNotebook when the notebook ends with this cell, and
        RestartPython."""
        failure, ended = None, False
        try:
            self.run_as(cell, cell_file(cell.position))
            self.figures.flush()
        except (CellTooLarge, NotebookExit, RestartPython):
            pass
        except CellFailed as error:
            failure = error
        except SystemExit as error:
            failure = None if error.code in (None, 0) else CellFailed(*describe(error))
            ended = failure is None
        except (UnknownMagic, NotFound, jupyter.NotANotebook) as error:
            failure = CellFailed(str(error))
        except BaseException as error:
            failure = CellFailed(*describe(error))
        if os.getpid() != self.process:
            # A copy of this process that the cell made, and forgot: the notebook goes on in one process alone.
            os._exit(0)
        # All are asked of their owners: a bare `except:` in the cell swallows the exception, not the fact.
        if self.recorder.overflowed:
            raise CellFailed("Cell %d produced more than %d bytes of output, the most that a cell may show. The rest of "
                             "the run was cancelled." % (cell.position, self.recorder.limit))
        if failure is not None:
            raise failure
        if ended or self.utilities.notebook.exit_value is not None:
            raise EndOfNotebook()
        if self.utilities.library.restart:
            raise RestartPython()

    def run_as(self, cell, filename):
        """Runs a cell by its language."""
        if cell.language == "python":
            value = self.shell.run(cell.source, filename)
            if value is not None:
                self.shown.show(value)
        elif cell.language == "shell":
            shell_cell(cell.body, cell.argument)
        elif cell.language == "pip":
            for line in joined_lines(cell.body):
                self.packages.pip(re.sub(r"^\s*%{1,2}pip\b", "", line))
        elif cell.language == "sql":
            self.sql.run(cell.body, self.utilities.widgets.getAll())
        elif cell.language == "run":
            self.include(cell.argument)
        elif cell.language.startswith("%"):
            raise CellFailed("Cell %d is a %s cell, which Runyard does not run in a Python notebook: it runs Python, %%md, %%sql, "
                             "%%sh, %%pip and %%run." % (cell.position, cell.language))

    def include(self, argument):
        """`%run ./other $name="value"`: runs the cells of another notebook here, as if they stood in this one."""
        words = shlex.split(argument, comments=True)
        if not words:
            raise CellFailed("%run needs the path of a notebook, such as: %run ./other")
        try:
            path = workspace_path(words[0], self.including[-1])
        except ValueError as error:
            raise CellFailed(str(error)) from None
        known = [without_extension(each) for each in self.including]
        if without_extension(path) in known:
            chain = " -> ".join(self.including[known.index(without_extension(path)):] + [path])
            raise CellFailed("%%run of %s would not end: the notebooks run one another in a circle (%s)." % (path, chain))
        if len(self.including) > DEPTH_MAX:
            raise CellFailed("%%run of %s is nested %d deep; at most %d are allowed." % (path, len(self.including), DEPTH_MAX))
        cells = read_cells(notebook_file(self.task["workspace"], path))
        outer = self.utilities.widgets.replace_parameters(arguments_of(words[1:]))
        self.including.append(path)
        try:
            for cell in cells:
                self.run_as(cell, "%s, cell %d" % (path, cell.position))
        finally:
            self.including.pop()
            self.utilities.widgets.replace_parameters(None, outer)


def read_cells(file):
    """The cells of a notebook's file. Raises UnicodeDecodeError and NotANotebook."""
    with open(file, encoding="utf-8-sig", newline="") as content:
        text = content.read()
    return jupyter.read(text) if file.lower().endswith(".ipynb") else source.cut(text)


def arguments_of(words):
    """The `$name=value` of a %run."""
    given = {}
    for word in words:
        match = ARGUMENT.match(word)
        if match is None:
            raise CellFailed('%%run has the argument %r; arguments are written $name="value".' % word)
        given[match.group(1)] = match.group(2)
    return given


def joined_lines(text):
    """The lines of a text, those that end in a backslash joined with the next."""
    return [line for line in text.replace("\\\n", " ").split("\n") if line.strip()]


def without_extension(path):
    return re.sub(r"\.(py|ipynb)$", "", path)
