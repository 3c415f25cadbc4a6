"""Parses a notebook in source format into cells."""

import re

from .cells import Cell, parse_cell, trim_blank_lines

HEADER = re.compile(r"#\s*Databricks notebook source\s*$")
SEPARATOR = re.compile(r"# COMMAND -{5,}\s*$")
TITLE = re.compile(r"# DBTITLE \d+,\s*(.*)$")
MAGIC = re.compile(r"# MAGIC ?(.*)$")
#: A line magic or a shell command within Python. Other `# MAGIC` lines remain comments.
LINE_MAGIC = re.compile(r"# MAGIC\s+([%!](?!\s*md\b).*)$")


def parse_cells(text):
    """Returns the cells of a notebook. The header line is optional: a plain Python file is one cell."""
    lines = text.replace("\r\n", "\n").split("\n")
    if HEADER.match(lines[0]):
        lines = lines[1:]
    blocks = [[]]
    for line in lines:
        if SEPARATOR.match(line):
            blocks.append([])
        else:
            blocks[-1].append(line)
    filled = [block for block in map(trim_blank_lines, blocks) if block]
    return [parse_block(position, block) for position, block in enumerate(filled, start=1)]


SQL_MARKER = re.compile(r"^--(?= (?:COMMAND -{5}|MAGIC\b|DBTITLE \d)|\s*Databricks notebook source\s*$)", re.MULTILINE)


def parse_sql_cells(text):
    """Returns the cells of a SQL notebook; a cell without a magic word is SQL."""
    cells = parse_cells(SQL_MARKER.sub("#", text.replace("\r\n", "\n")))
    return [
        Cell(cell.position, "sql", cell.title, cell.source)
        if cell.language == "python" and not re.match(r"\s*%", cell.source)
        else cell
        for cell in cells
    ]


def parse_block(position, lines):
    title = None
    match = TITLE.match(lines[0])
    if match:
        title = match.group(1).strip()
        lines = trim_blank_lines(lines[1:])
    if not lines:
        return parse_cell(position, title, [""])
    if MAGIC.match(lines[0]):
        whole = trim_blank_lines([strip_magic_prefix(line) for line in lines])
        # With Python code below %md the cell is Python, and the Markdown lines are comments.
        is_text = re.match(r"\s*%md", whole[0] if whole else "", re.IGNORECASE)
        if not is_text or all(line.startswith("#") or not line.strip() for line in lines):
            return parse_cell(position, title, whole or [""])
    return parse_cell(position, title, [LINE_MAGIC.sub(r"\1", line) for line in lines])


def strip_magic_prefix(line):
    match = MAGIC.match(line)
    return match.group(1) if match else line
