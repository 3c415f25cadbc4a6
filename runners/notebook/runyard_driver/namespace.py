"""The namespace of a notebook, and the shell that runs its cells without IPython."""

import __future__
import ast
import linecache
import sys
import types

from .line_rewriter import MAGIC_FUNCTION, rewrite_line_magics
from .line_magics import LineMagics, UnknownMagic

FUTURE_FLAGS = 0
for feature in __future__.all_feature_names:
    FUTURE_FLAGS |= getattr(__future__, feature).compiler_flag


def create_main_module(names):
    """Creates the module `__main__`, which keeps definitions between cells and makes them picklable."""
    module = types.ModuleType("__main__")
    module.__dict__.update(names)
    sys.modules["__main__"] = module
    return module


class PlainShell:
    """Runs cells of Python with the line magics of this driver."""

    def __init__(self, module, packages):
        self.names = module.__dict__
        self.flags = 0
        self.magics = LineMagics(self.names, packages, lambda source: self.evaluate(source, "<line magic>"))
        self.names[MAGIC_FUNCTION] = self.magics.call

    def run(self, source, filename):
        """Runs one cell and returns the value of its last expression, None after a semicolon."""
        first = source.lstrip()
        if first.startswith("%%"):
            word, _, body = first[2:].partition("\n")
            name, _, rest = word.strip().partition(" ")
            if name == "time":
                return self.magics.time(rest + "\n" + body)
            raise UnknownMagic(
                "The cell magic %%%%%s does not exist in the plain shell; IPython may provide it." % name
            )
        return self.evaluate(source, filename)

    def evaluate(self, source, filename):
        # Without a modification time linecache never checks the disk, so tracebacks show the cell's lines.
        linecache.cache[filename] = (
            len(source),
            None,
            [line + "\n" for line in source.split("\n")],
            filename,
        )
        tree = self.parse(source, filename)
        last = tree.body[-1] if tree.body else None
        shown = isinstance(last, ast.Expr) and not source.rstrip().endswith(";")
        if shown:
            tree.body.pop()
        exec(self.compile(tree, filename, "exec"), self.names)
        return eval(self.compile(ast.Expression(last.value), filename, "eval"), self.names) if shown else None

    def parse(self, source, filename):
        try:
            return self.compile(source, filename, "exec", ast.PyCF_ONLY_AST)
        except SyntaxError:
            # Only invalid Python is searched for line magics.
            rewritten = rewrite_line_magics(source)
            if rewritten == source:
                raise
        return self.compile(rewritten, filename, "exec", ast.PyCF_ONLY_AST)

    def compile(self, source, filename, mode, extra=0):
        code = compile(source, filename, mode, self.flags | extra, dont_inherit=True)
        # `from __future__ import ...` in one cell applies to later cells too.
        self.flags |= getattr(code, "co_flags", 0) & FUTURE_FLAGS
        return code
