"""Cuts a notebook in source format into cells."""
import re

from .cells import cell_of, without_blank_ends

HEADER = re.compile(r"#\s*Databricks notebook source\s*$")
SEPARATOR = re.compile(r"# COMMAND -{5,}\s*$")
TITLE = re.compile(r"# DBTITLE \d+,\s*(.*)$")
MAGIC = re.compile(r"# MAGIC ?(.*)$")
#: A line magic or a shell command within Python. Text for readers stays the comment that it is.
LINE_MAGIC = re.compile(r"# MAGIC\s+([%!](?!\s*md\b).*)$")


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
    return [block_to_cell(position, block) for position, block in enumerate(filled, start=1)]


def block_to_cell(position, lines):
    title = None
    match = TITLE.match(lines[0])
    if match:
        title = match.group(1).strip()
        lines = without_blank_ends(lines[1:])
    if not lines:
        return cell_of(position, title, [""])
    if MAGIC.match(lines[0]):
        whole = without_blank_ends([unmarked(line) for line in lines])
        # Markdown gives way to Python code below it: its lines are comments there.
        is_text = re.match(r"\s*%md", whole[0] if whole else "", re.IGNORECASE)
        if not is_text or all(line.startswith("#") or not line.strip() for line in lines):
            return cell_of(position, title, whole or [""])
    return cell_of(position, title, [LINE_MAGIC.sub(r"\1", line) for line in lines])


def unmarked(line):
    match = MAGIC.match(line)
    return match.group(1) if match else line
