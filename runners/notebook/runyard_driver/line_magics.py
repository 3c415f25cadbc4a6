"""Line magics for notebooks that run without IPython."""

import os
import re
import shlex
import subprocess
import time

from . import commands

#: Settings of interactive sessions without an effect here.
IGNORED_MAGICS = ("matplotlib", "autoreload", "load_ext", "reload_ext", "config", "precision")
NAME_IN_BRACES = re.compile(r"\{([A-Za-z_]\w*)\}")


class UnknownMagic(Exception):
    """The magic word is unknown."""


class LineMagics:
    """`names`: namespace of the notebook; `packages`: its packages; `evaluate`: evaluates Python
    source."""

    def __init__(self, names, packages, evaluate):
        self.names = names
        self.evaluate = evaluate
        self.handlers = {
            "!": self.shell,
            "sh": self.shell,
            "sx": self.shell,
            "pip": packages.pip,
            "time": self.time,
            "cd": self.cd,
            "pwd": lambda _rest: os.getcwd(),
            "env": self.env,
            **{name: lambda _rest: None for name in IGNORED_MAGICS},
        }

    def call(self, name, rest, wants_value=False):
        """Runs one line magic. `wants_value`: the result is assigned; a shell command returns its lines."""
        run = self.handlers.get(name)
        if run is None:
            raise UnknownMagic(
                "The line magic %%%s does not exist; available are %s. IPython has more: provide it as a "
                "library, or install it in the Python of the cluster with %%pip install ipython."
                % (
                    name,
                    ", ".join("!COMMAND" if word == "!" else "%" + word for word in sorted(self.handlers)),
                )
            )
        if wants_value and name in ("!", "sh", "sx"):
            return (
                subprocess.run(
                    self.expand_names(rest),
                    shell=True,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    check=False,
                )
                .stdout.decode("utf-8", "backslashreplace")
                .splitlines()
            )
        return run(rest)

    def shell(self, rest):
        commands.run_shell(self.expand_names(rest))

    def expand_names(self, rest):
        """Replaces `{name}` in a command by the value of that name in the notebook."""

        def value_of(match):
            return str(self.names[match.group(1)]) if match.group(1) in self.names else match.group(0)

        return NAME_IN_BRACES.sub(value_of, rest)

    def time(self, rest):
        wall, cpu = time.perf_counter(), time.process_time()
        value = self.evaluate(rest)
        print("CPU time: %.3f s, wall time: %.3f s" % (time.process_time() - cpu, time.perf_counter() - wall))
        return value

    @staticmethod
    def cd(rest):
        os.chdir(os.path.expanduser((shlex.split(rest) or ["~"])[0]))

    @staticmethod
    def env(rest):
        name, _, value = rest.partition("=")
        if value:
            os.environ[name.strip()] = value.strip()
            return None
        return os.environ.get(name.strip()) if name.strip() else dict(os.environ)
