"""Parses a cell of a notebook. The magic word at its beginning sets its language."""

import re

#: Magic word -> language of the cell. Other words are magics of the Python shell.
LANGUAGES = {
    "python": "python",
    "md": "markdown",
    "md-sandbox": "markdown",
    "markdown": "markdown",
    "sql": "sql",
    "sh": "shell",
    "bash": "shell",
    "pip": "pip",
    "run": "run",
}
#: Magic word -> name of a language that is not supported in a Python notebook.
UNSUPPORTED_LANGUAGES = {
    "scala": "Scala",
    "r": "R",
    "js": "JavaScript",
    "javascript": "JavaScript",
    "perl": "Perl",
    "ruby": "Ruby",
}

MAGIC_WORD = re.compile(r"\s*%{1,2}([A-Za-z][\w-]*)[ \t]*(.*)$")
PIP_LINE = re.compile(r"\s*%{1,2}pip\b")


class Cell:
    """One cell of a notebook.

    position: counted from 1 over all cells that are not empty.
    language: "python", "markdown", "sql", "shell", "pip" or "run"; the magic word with "%" if unsupported.
    title: title of the cell, or None.
    source: text shown in the report; Markdown and SQL without the magic word, other languages as written.
    body: text to run, without the magic word.
    argument: rest of the line with the magic word.
    """

    def __init__(self, position, language, title, source, body=None, argument=""):
        self.position = position
        self.language = language
        self.title = title
        self.source = source
        self.body = source if body is None else body
        self.argument = argument


def parse_cell(position, title, lines):
    """Parses the lines of one cell, without markers of the file format. The first line is not blank."""
    text = "\n".join(lines)
    match = MAGIC_WORD.match(lines[0])
    if match is None:
        return Cell(position, "python", title, text)
    word, argument = match.group(1).lower(), match.group(2).strip()
    rest = "\n".join(([match.group(2)] if match.group(2).strip() else []) + lines[1:])
    if word in UNSUPPORTED_LANGUAGES:
        return Cell(position, "%" + match.group(1), title, text)
    language = LANGUAGES.get(word)
    if language == "pip" and not all(PIP_LINE.match(line) or not line.strip() for line in lines):
        # Python code follows: %pip is a line magic in it.
        language = None
    if language is None:
        return Cell(position, "python", title, text)
    if language == "shell":
        options = re.match(r"((?:-\w+\s*)*)(.*)$", match.group(2), re.DOTALL)
        first = [options.group(2)] if options.group(2).strip() else []
        return Cell(position, language, title, text, "\n".join(first + lines[1:]), options.group(1).strip())
    if language in ("markdown", "sql", "python"):
        return Cell(position, language, title, "\n".join(trim_blank_lines(rest.split("\n"))))
    return Cell(position, language, title, text, text, argument)


def trim_blank_lines(lines):
    start, end = 0, len(lines)
    while start < end and not lines[start].strip():
        start += 1
    while end > start and not lines[end - 1].strip():
        end -= 1
    return lines[start:end]
