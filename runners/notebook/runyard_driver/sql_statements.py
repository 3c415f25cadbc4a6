"""Splits the text of a %sql cell into statements."""

import re

#: Comments, quoted texts and names, and the semicolon between statements.
TOKEN = re.compile(r"--[^\n]*|/\*.*?(?:\*/|\Z)|'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|`[^`]*`|;", re.DOTALL)
COMMENT = re.compile(r"--[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)


def split_statements(text):
    """Returns the statements of a text without their semicolons. Comments alone are no statement."""
    statements, start = [], 0
    for token in TOKEN.finditer(text):
        if token.group() == ";":
            statements.append(text[start : token.start()])
            start = token.end()
    statements.append(text[start:])
    return [each.strip() for each in statements if COMMENT.sub("", each).strip()]
