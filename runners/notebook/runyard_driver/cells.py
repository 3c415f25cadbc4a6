"""A cell of a notebook, and which magic word at its beginning makes it what."""
import re

#: Magic word -> language of the cell that begins with it. Any other word is the business of the shell that runs Python.
LANGUAGES = {
    "python": "python",
    "md": "markdown", "md-sandbox": "markdown", "markdown": "markdown",
    "sql": "sql",
    "sh": "shell", "bash": "shell",
    "pip": "pip",
    "run": "run",
}
#: Words of other languages: a cell of theirs is no Python, whatever stands in it.
UNSUPPORTED_LANGUAGES = {"scala": "Scala", "r": "R", "js": "JavaScript", "javascript": "JavaScript", "perl": "Perl", "ruby": "Ruby"}

MAGIC_WORD = re.compile(r"\s*%{1,2}([A-Za-z][\w-]*)[ \t]*(.*)$")
PIP_LINE = re.compile(r"\s*%{1,2}pip\b")


class Cell:
    """One cell of a notebook.

    position: counted from 1, over all cells that are not empty.
    language: "python", "markdown", "sql", "shell", "pip" or "run"; of an unsupported language, its magic word with "%".
    title: what stands above it, or None.
    source: what the report shows. Of Markdown and SQL without the magic word, of everything else as it was written.
    body: what is run: the text behind the magic word and its line.
    argument: the rest of the line of the magic word.
    """

    def __init__(self, position, language, title, source, body=None, argument=""):
        self.position = position
        self.language = language
        self.title = title
        self.source = source
        self.body = source if body is None else body
        self.argument = argument


def parse_cell(position, title, lines):
    """The cell that these lines make, the markers of the file format taken off. The first line is not blank."""
    text = "\n".join(lines)
    match = MAGIC_WORD.match(lines[0])
    if match is None:
        return Cell(position, "python", title, text)
    word, argument = match.group(1).lower(), match.group(2).strip()
    behind = "\n".join(([match.group(2)] if match.group(2).strip() else []) + lines[1:])
    if word in UNSUPPORTED_LANGUAGES:
        return Cell(position, "%" + match.group(1), title, text)
    language = LANGUAGES.get(word)
    if language == "pip" and not all(PIP_LINE.match(line) or not line.strip() for line in lines):
        # Python below it: the line is one of its line magics.
        language = None
    if language is None:
        return Cell(position, "python", title, text)
    if language == "shell":
        options = re.match(r"((?:-\w+\s*)*)(.*)$", match.group(2), re.DOTALL)
        first = [options.group(2)] if options.group(2).strip() else []
        return Cell(position, language, title, text, "\n".join(first + lines[1:]), options.group(1).strip())
    if language in ("markdown", "sql", "python"):
        return Cell(position, language, title, "\n".join(trim_blank_lines(behind.split("\n"))))
    return Cell(position, language, title, text, text, argument)


def trim_blank_lines(lines):
    start, end = 0, len(lines)
    while start < end and not lines[start].strip():
        start += 1
    while end > start and not lines[end - 1].strip():
        end -= 1
    return lines[start:end]
