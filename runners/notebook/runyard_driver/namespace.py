"""The one namespace in which all cells of a notebook run."""
import __future__
import ast
import linecache
import sys
import types

FUTURE_FLAGS = 0
for feature in __future__.all_feature_names:
    FUTURE_FLAGS |= getattr(__future__, feature).compiler_flag


class Namespace:
    """The module `__main__` of the process: what a cell defines is there for the next, and can be pickled."""

    def __init__(self, names):
        module = types.ModuleType("__main__")
        self.names = module.__dict__
        self.names.update(names)
        self.flags = 0
        sys.modules["__main__"] = module

    def run(self, source, filename):
        """Runs one cell and returns the value of its last expression (None without one, or behind a semicolon)."""
        # Without a modification time the entry is never looked for on disk, so tracebacks show the cell's lines.
        linecache.cache[filename] = (len(source), None, [line + "\n" for line in source.split("\n")], filename)
        tree = self.compile(source, filename, "exec", ast.PyCF_ONLY_AST)
        last = tree.body[-1] if tree.body else None
        shown = isinstance(last, ast.Expr) and not source.rstrip().endswith(";")
        if shown:
            tree.body.pop()
        exec(self.compile(tree, filename, "exec"), self.names)
        return eval(self.compile(ast.Expression(last.value), filename, "eval"), self.names) if shown else None

    def compile(self, source, filename, mode, extra=0):
        code = compile(source, filename, mode, self.flags | extra, dont_inherit=True)
        # `from __future__ import ...` in one cell holds for the cells after it.
        self.flags |= getattr(code, "co_flags", 0) & FUTURE_FLAGS
        return code
