"""Cuts a notebook in source format into cells."""
import re

HEADER = re.compile(r"#\s*Databricks notebook source\s*$")
SEPARATOR = re.compile(r"# COMMAND -{5,}\s*$")
TITLE = re.compile(r"# DBTITLE \d+,\s*(.*)$")
MAGIC = re.compile(r"# MAGIC ?(.*)$")
MAGIC_WORD = re.compile(r"# MAGIC\s+%([\w-]+)")
MARKDOWN_WORDS = ("md", "md-sandbox")


class Cell:
    """One cell of a notebook.

    position: counted from 1, over all cells that are not empty.
    language: "python", "markdown", or the magic word of a language that the driver does not run ("sql", "sh").
    source: the cell without its markers; of a markdown cell, the text after %md.
    """

    def __init__(self, position, language, title, source):
        self.position = position
        self.language = language
        self.title = title
        self.source = source


def cut(text):
    """The cells of a notebook's text. The header line may be missing: a plain Python file is one cell."""
    lines = text.replace("\r\n", "\n").split("\n")
    if HEADER.match(lines[0]):
        lines = lines[1:]
    blocks = [[]]
    for line in lines:
        if SEPARATOR.match(line):
            blocks.append([])
        else:
            blocks[-1].append(line)
    filled = [block for block in map(without_blank_ends, blocks) if block]
    return [cell_of(position, block) for position, block in enumerate(filled, start=1)]


def cell_of(position, lines):
    title = None
    match = TITLE.match(lines[0])
    if match:
        title = match.group(1).strip()
        lines = without_blank_ends(lines[1:])
    language = language_of(lines)
    if language != "python" or any(MAGIC_WORD.match(line) for line in lines[:1]):
        lines = without_magic(lines, language)
    return Cell(position, language, title, "\n".join(lines))


def language_of(lines):
    """The language that the first magic word of a cell names, wherever it stands: no such line is passed over in
    silence. Markdown alone gives way to Python code around it, where its lines are comments."""
    words = [match.group(1).lower() for match in map(MAGIC_WORD.match, lines) if match]
    if not words or words[0] == "python":
        return "python"
    if words[0] not in MARKDOWN_WORDS:
        return words[0]
    return "markdown" if all(line.startswith("#") or not line.strip() for line in lines) else "python"


def without_magic(lines, language):
    plain = [match.group(1) if match else line for match, line in ((MAGIC.match(line), line) for line in lines)]
    if language in ("python", "markdown"):
        plain = [re.sub(r"^\s*%(python|md-sandbox|md)\b ?", "", plain[0], flags=re.IGNORECASE)] + plain[1:]
    return without_blank_ends(plain)


def without_blank_ends(lines):
    start, end = 0, len(lines)
    while start < end and not lines[start].strip():
        start += 1
    while end > start and not lines[end - 1].strip():
        end -= 1
    return lines[start:end]
