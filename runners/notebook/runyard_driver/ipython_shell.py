"""Runs cells in the shell of IPython, where the environment has it: all its magics, `?`, `!` and top-level await."""
import importlib.util
import linecache
import os
import re
import sys
import tempfile
import warnings

from .line_magics import UnknownMagic


#: What makes a difference between IPython and plain Python: magics, shell commands, help, await, and IPython by name.
IPYTHON_SYNTAX = re.compile(r"^\s*(?:[%!?]|[\w.]+\s*=\s*[%!])|\?\s*$|\b(?:get_ipython|IPython|await)\b", re.MULTILINE)


def needs_ipython(cells):
    """Whether these cells are to run in IPython: it can be imported, and one of them needs it (starting it takes longer
    than most notebooks). RUNYARD_NOTEBOOK_SHELL=ipython asks for it always, =plain never."""
    choice = os.environ.get("RUNYARD_NOTEBOOK_SHELL", "auto")
    if choice == "plain" or importlib.util.find_spec("IPython") is None:
        return False
    # What a %run brings in is not known yet.
    return choice == "ipython" or any(cell.language in ("run", "python") and IPYTHON_SYNTAX.search(cell.source) for cell in cells)


def create_shell_class(display):
    """The kind of shell that runs cells of a notebook. IPython is imported by nobody who does not need it."""
    from IPython.core.compilerop import CachingCompiler
    from IPython.core.displayhook import DisplayHook
    from IPython.core.displaypub import DisplayPublisher
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets import Type

    class CellCompiler(CachingCompiler):
        """Compiles cells under the name that tracebacks show."""
        cell_name = "Cell"

        def cache(self, transformed_code, number=0, raw_code=None):
            lines = [line + "\n" for line in (raw_code or transformed_code).split("\n")]
            linecache.cache[self.cell_name] = (len(transformed_code), None, lines, self.cell_name)
            return self.cell_name

    class Hook(DisplayHook):
        """Keeps the value of the last line: it is shown by whoever runs the cell."""
        last = None

        def __call__(self, result=None):
            self.last = result

    class Publisher(DisplayPublisher):
        """Shows what IPython's own `display` is given."""

        def publish(self, data, *_args, **_options):
            display.publish(data)

    class NotebookShell(InteractiveShell):
        """Tells failures to whoever runs the cell, instead of printing them."""
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
    """One InteractiveShell over the namespace of the notebook. What it shows goes to `display`, below the cell."""

    def __init__(self, module, packages, display):
        os.environ.setdefault("IPYTHONDIR", os.path.join(tempfile.gettempdir(), "ipython"))
        from traitlets.config import Config

        config = Config()
        config.HistoryManager.enabled = False
        config.InteractiveShell.colors = "NoColor"
        names = dict(module.__dict__)
        self.shell = create_shell_class(display).instance(config=config, user_module=module, user_ns=module.__dict__)
        # Its own `exit` would end a session at a prompt, and nothing here; so would its warning about sys.exit.
        self.shell.user_ns.update({**names, "exit": sys.exit, "quit": sys.exit})
        warnings.filterwarnings("ignore", message="To exit: use")
        self.shell.register_magic_function(packages.pip, "line", "pip")
        self.shell.register_magic_function(lambda line: self.shell.system(line), "line", "sh")
        self.shell.register_magic_function(lambda line: None, "line", "matplotlib")
        self.shell.system = create_system(self.shell)

    def run(self, source, filename):
        """Runs one cell and returns the value of its last expression. Raises what the cell raised."""
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
    """`!command`: what it prints is shown in the cell."""
    from . import commands

    def system(command):
        shell.user_ns["_exit_code"] = commands.run_shell(shell.var_expand(command, depth=1))
    return system


def check_cell_magic(shell, source):
    """A sentence for a cell magic that IPython does not have either; its own words go to a terminal."""
    first = source.lstrip()
    if not first.startswith("%%"):
        return None
    name = first[2:].split(None, 1)[0] if first[2:].split() else ""
    if shell.find_cell_magic(name) is not None:
        return None
    return UnknownMagic("The cell magic %%%%%s is not known here." % name)
