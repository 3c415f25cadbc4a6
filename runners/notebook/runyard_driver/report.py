"""The report of a notebook: every cell with what it showed, rewritten in one step whenever a cell ends."""
import json
import os
import time

from .capture import clean


class Report:
    """Writes the task's report. The cell that is running has a start time and no finish time; a crash leaves it that way."""

    def __init__(self, task, cells):
        self.file = task["report"]
        self.head = {"path": task["path"], "parameters": task["parameters"]}
        self.cells = [first_state(cell) for cell in cells]
        # Each cell is put into JSON when it changes: a notebook of many large cells is not encoded over and over.
        self.encoded = [json.dumps(cell) for cell in self.cells]

    def start_cell(self, position):
        self.change(position, {"startTime": now()})

    def end_cell(self, position, status, outputs):
        self.change(position, {"status": status, "finishTime": now(), "outputs": outputs})

    def end(self, **how):
        """Adds `exitValue` or `error`, and writes the report for the last time."""
        self.head.update(how)
        self.write()

    def change(self, position, fields):
        cell = self.cells[position - 1]
        cell.update(fields)
        self.encoded[position - 1] = json.dumps(cell)

    def write(self):
        part = self.file + ".part"
        with open(part, "w", encoding="utf-8") as out:
            out.write('{"cells": [%s], %s' % (", ".join(self.encoded), json.dumps(self.head)[1:]))
        os.replace(part, self.file)


def first_state(cell):
    """How a cell stands in the report before it runs. What is not markdown is shown as code."""
    state = {"position": cell.position, "language": "markdown" if cell.language == "markdown" else "python"}
    if cell.title is not None:
        state["title"] = clean(cell.title)
    return {**state, "source": clean(cell.source), "status": "skipped", "outputs": []}


def now():
    return int(time.time() * 1000)
