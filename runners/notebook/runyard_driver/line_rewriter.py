"""Rewrites line magics in Python: `%name rest`, `!command` and `name = !command` at the start of a statement
become calls."""

import re

MAGIC_FUNCTION = "__line_magic__"
MAGIC_LINE = re.compile(r"(\s*)(?:([A-Za-z_][\w.\[\]'\"]*)\s*=\s*)?(?:(!)|%([A-Za-z_]\w*))[ \t]*(.*)$")


def rewrite_line_magics(source):
    """Returns the source with every line magic as a call. Lines within strings and brackets do not change."""
    lines = source.split("\n")
    state = ScanState()
    for index, line in enumerate(lines):
        match = MAGIC_LINE.match(line) if state.is_at_statement() else None
        if match is None:
            state.scan(line)
            continue
        indent, target, shell, name, rest = match.groups()
        call = "%s(%r, %r, %r)" % (MAGIC_FUNCTION, "!" if shell else name, rest, target is not None)
        lines[index] = indent + ("%s = %s" % (target, call) if target else call)
    return "\n".join(lines)


class ScanState:
    """State at the end of the scanned lines: open brackets, an open string, a continued line."""

    def __init__(self):
        self.quotes = None
        self.depth = 0
        self.continued = False

    def is_at_statement(self):
        return self.quotes is None and self.depth == 0 and not self.continued

    def scan(self, line):
        place = 0
        self.continued = False
        while place < len(line):
            if self.quotes is not None:
                place = self.scan_text(line, place)
                continue
            sign = line[place]
            if sign == "#":
                return
            if sign in "'\"":
                triple = line[place : place + 3]
                self.quotes = triple if triple in ("'''", '"""') else sign
                place += len(self.quotes)
                continue
            self.depth = max(0, self.depth + (sign in "([{") - (sign in ")]}"))
            place += 1
        if self.quotes is not None and len(self.quotes) == 1:
            # A string in single quotes continues only after a backslash.
            if not line.endswith("\\"):
                self.quotes = None
        elif self.quotes is None:
            self.continued = line.endswith("\\")

    def scan_text(self, line, place):
        """Returns the position after the end of the open string, or the end of the line."""
        while place < len(line):
            if line[place] == "\\":
                place += 2
            elif line.startswith(self.quotes, place):
                place += len(self.quotes)
                self.quotes = None
                return place
            else:
                place += 1
        return place
