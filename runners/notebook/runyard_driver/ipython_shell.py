"""Runs cells in an IPython shell if IPython is installed: its magics, `?`, `!` and top-level await."""

import importlib.util
import linecache
import os
import re
import sys
import tempfile
import warnings

from .line_magics import UnknownMagic


#: Syntax that plain Python lacks: magics, shell commands, help, await, and uses of IPython by name.
IPYTHON_SYNTAX = re.compile(
    r"^\s*(?:[%!?]|[\w.]+\s*=\s*[%!])|\?\s*$|\b(?:get_ipython|IPython|await)\b", re.MULTILINE
)


def needs_ipython(cells):
    """Tells whether to run these cells in IPython: it is installed, and one of them needs it.

    Starting IPython takes longer than most notebooks. RUNYARD_NOTEBOOK_SHELL=ipython forces it, =plain
    prevents it.
    """
    choice = os.environ.get("RUNYARD_NOTEBOOK_SHELL", "auto")
    if choice == "plain" or importlib.util.find_spec("IPython") is None:
        return False
    # The cells of a %run are not known yet.
    return choice == "ipython" or any(
        cell.language in ("run", "python") and IPYTHON_SYNTAX.search(cell.source) for cell in cells
    )


def create_shell_class(display):
    """Creates the shell class for notebooks. Imports IPython here, because most notebooks do not need it."""
    from IPython.core.compilerop import CachingCompiler
    from IPython.core.displayhook import DisplayHook
    from IPython.core.displaypub import DisplayPublisher
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets import Type

    class CellCompiler(CachingCompiler):
        """Compiles cells under the file name that tracebacks show."""

        cell_name = "Cell"

        def cache(self, transformed_code, number=0, raw_code=None):
            lines = [line + "\n" for line in (raw_code or transformed_code).split("\n")]
            linecache.cache[self.cell_name] = (len(transformed_code), None, lines, self.cell_name)
            return self.cell_name

    class Hook(DisplayHook):
        """Keeps the value of the last expression; `IPythonShell.run` returns it."""

        last = None

        def __call__(self, result=None):
            self.last = result

    class Publisher(DisplayPublisher):
        """Shows the values passed to IPython's own `display`."""

        def publish(self, data, *_args, **_options):
            display.publish(data)

    class NotebookShell(InteractiveShell):
        """Leaves errors to `IPythonShell.run` instead of printing them."""

        compiler_class = Type(CellCompiler)
        displayhook_class = Type(Hook)
        display_pub_class = Type(Publisher)

        def _showtraceback(self, etype, evalue, stb):
            pass

        def showtraceback(self, *_args, **_options):
            pass

        def showsyntaxerror(self, *_args, **_options):
            pass

        def enable_gui(self, gui=None):
            pass

    return NotebookShell


class IPythonShell:
    """An InteractiveShell over the namespace of the notebook. Its output goes to `display`."""

    def __init__(self, module, packages, display):
        os.environ.setdefault("IPYTHONDIR", os.path.join(tempfile.gettempdir(), "ipython"))
        from traitlets.config import Config

        config = Config()
        config.HistoryManager.enabled = False
        config.InteractiveShell.colors = "NoColor"
        names = dict(module.__dict__)
        self.shell = create_shell_class(display).instance(
            config=config, user_module=module, user_ns=module.__dict__
        )
        # IPython's own `exit` and its warning about sys.exit only make sense at a prompt.
        self.shell.user_ns.update({**names, "exit": sys.exit, "quit": sys.exit})
        warnings.filterwarnings("ignore", message="To exit: use")
        self.shell.register_magic_function(packages.pip, "line", "pip")
        self.shell.register_magic_function(lambda line: self.shell.system(line), "line", "sh")
        self.shell.register_magic_function(lambda line: None, "line", "matplotlib")
        self.shell.system = create_system(self.shell)

    def run(self, source, filename):
        """Runs one cell and returns the value of its last expression. Exceptions of the cell propagate."""
        self.shell.compile.cell_name = filename
        self.shell.displayhook.last = None
        failure = check_cell_magic(self.shell, source)
        if failure is not None:
            raise failure
        result = self.shell.run_cell(source, store_history=False)
        error = result.error_before_exec or result.error_in_exec
        if type(error).__name__ == "UsageError":
            raise UnknownMagic(str(error))
        if error is not None:
            raise error
        return None if source.rstrip().endswith(";") else self.shell.displayhook.last


def create_system(shell):
    """Creates the handler of `!command`, which streams the output into the cell."""
    from . import commands

    def system(command):
        shell.user_ns["_exit_code"] = commands.run_shell(shell.var_expand(command, depth=1))

    return system


def check_cell_magic(shell, source):
    """Returns an exception for an unknown cell magic, which IPython itself only reports on a terminal."""
    first = source.lstrip()
    if not first.startswith("%%"):
        return None
    name = first[2:].split(None, 1)[0] if first[2:].split() else ""
    if shell.find_cell_magic(name) is not None:
        return None
    return UnknownMagic("The cell magic %%%%%s does not exist." % name)
