"""`%pip`: installs packages for this notebook only, into a directory of the attempt."""

import importlib
import importlib.util
import os
import shlex
import sys

from . import commands
from .cell_errors import CellError
from .file_system import find_managed_path

NETWORK_ERRORS = (
    "NewConnectionError",
    "Temporary failure in name resolution",
    "Network is unreachable",
    "ConnectTimeoutError",
    "ProxyError",
    "Connection refused",
    "Max retries exceeded",
)


class Packages:
    """`directory`: directory for packages of the notebook; `root`: directory of `managed_fs:/`."""

    def __init__(self, directory, root):
        self.directory = directory
        self.root = root
        if os.path.isdir(directory):
            self.activate()

    def activate(self):
        """Puts the packages first on the path of this process and of its children."""
        if self.directory not in sys.path:
            # After the folder of the notebook: its own modules take precedence.
            sys.path.insert(1, self.directory)
        paths = os.environ.get("PYTHONPATH", "").split(os.pathsep)
        if self.directory not in paths:
            os.environ["PYTHONPATH"] = os.pathsep.join([self.directory] + [path for path in paths if path])
        importlib.invalidate_caches()

    def pip(self, line):
        """Runs one `%pip` line, given without the word %pip. Raises CellError on failure."""
        words = [self.resolve_managed_path(word) for word in shlex.split(line, comments=True)]
        if not words:
            raise CellError("%pip requires a command, for example: %pip install NAME")
        if importlib.util.find_spec("pip") is None:
            raise CellError(
                "%%pip requires pip, which the Python of this cluster (%s) does not have. Install it there (for "
                'example "apt-get install python3-pip"), or provide the package as a library of the task.'
                % sys.executable
            )
        if words[0] == "uninstall":
            raise CellError(
                "%pip uninstall is not supported; the packages of a notebook are removed with its run."
            )
        os.makedirs(self.directory, exist_ok=True)
        self.activate()
        own = ["--target", self.directory, "--upgrade"] if words[0] == "install" else []
        lines = TailStream(sys.stderr)
        code = commands.run_command(
            [
                sys.executable,
                "-m",
                "pip",
                "--disable-pip-version-check",
                "--no-input",
                words[0],
                *own,
                *words[1:],
            ],
            (sys.stdout, lines),
        )
        self.activate()
        if code != 0:
            raise CellError(
                "%%pip %s failed with exit code %d: %s%s"
                % (words[0], code, lines.last_line("ERROR:"), lines.network_hint())
            )

    def resolve_managed_path(self, word):
        """Files of managed_fs by their path on this machine."""
        path = find_managed_path(word)
        return word if path is None else os.path.join(self.root, path.lstrip("/"))


class TailStream:
    """Passes text on to a stream and keeps the last part of it."""

    def __init__(self, stream):
        self.stream = stream
        self.end = ""

    def write(self, text):
        self.end = (self.end + text)[-20000:]
        self.stream.write(text)

    def last_line(self, prefix):
        """Returns the last line with this prefix, without it; a hint if there is none."""
        lines = [line[len(prefix) :].strip() for line in self.end.split("\n") if line.startswith(prefix)]
        return lines[-1] if lines else "see its output."

    def network_hint(self):
        if any(sign in self.end for sign in NETWORK_ERRORS):
            return (
                " The package index is unreachable from this machine: put wheels into managed_fs and install them by "
                "path (%pip install managed_fs:/NAME.whl), or set PIP_INDEX_URL in the cluster's spark_env_vars."
            )
        return ""
