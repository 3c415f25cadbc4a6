"""Report of a notebook: every cell with its outputs, replaced atomically on every change."""

import json
import os
import threading
import time

from .output_recorder import escape_surrogates


class Report:
    """Writes the report of the task. A running cell has no finish time; it keeps that state after a crash."""

    def __init__(self, task, cells, previous_cells=None):
        self.file = task["report"]
        language = "sql" if task["notebook"].endswith(".sql") else "python"
        self.head = {"path": task["path"], "language": language, "parameters": task["parameters"]}
        self.cells = previous_cells or [create_initial_cell(cell) for cell in cells]
        # Each cell is encoded only when it changes.
        self.encoded = [json.dumps(cell) for cell in self.cells]
        self.lock = threading.RLock()

    def start_cell(self, position):
        self.change(position, {"startTime": now_ms()})

    def end_cell(self, position, status, outputs):
        self.change(position, {"status": status, "finishTime": now_ms(), "outputs": outputs})

    def end(self, **result):
        """Adds `exitValue` or `error`, and writes the report for the last time."""
        with self.lock:
            self.head.update(result)
            self.write()

    def change(self, position, fields):
        with self.lock:
            cell = self.cells[position - 1]
            cell.update(fields)
            self.encoded[position - 1] = json.dumps(cell)

    def write(self):
        with self.lock:
            part = self.file + ".part"
            with open(part, "w", encoding="utf-8") as out:
                out.write('{"cells": [%s], %s' % (", ".join(self.encoded), json.dumps(self.head)[1:]))
            os.replace(part, self.file)


class InterimWriter:
    """Writes the outputs of the running cell periodically, so that they survive a killed process."""

    def __init__(self, report, recorder):
        self.report = report
        self.recorder = recorder
        self.position = None
        self.seen = 0
        self.lock = threading.Lock()

    def start(self):
        threading.Thread(target=self.run, daemon=True, name="runyard-report").start()

    def start_cell(self, position):
        with self.lock:
            self.recorder.start_cell()
            self.position, self.seen = position, 0

    def end_cell(self):
        """Stops writing this cell; its end follows."""
        with self.lock:
            self.position = None

    def run(self):
        pause = 1.0
        while True:
            time.sleep(pause)
            began = time.monotonic()
            self.write_if_changed()
            # Writing takes at most 5 % of the time.
            pause = max(1.0, 20 * (time.monotonic() - began))

    def write_if_changed(self):
        with self.lock:
            size = self.recorder.size
            if self.position is None or size == self.seen:
                return
            self.seen = size
            self.report.change(self.position, {"outputs": self.recorder.outputs()})
            try:
                self.report.write()
            except OSError:
                # For example a full disk. The write at the end of the cell reports the error if it persists.
                pass


def create_initial_cell(cell):
    """Returns the state of a cell before it runs. An unsupported language is shown as Python."""
    state = {
        "position": cell.position,
        "language": "python" if cell.language.startswith("%") else cell.language,
    }
    if cell.title is not None:
        state["title"] = escape_surrogates(cell.title)
    return {**state, "source": escape_surrogates(cell.source), "status": "skipped", "outputs": []}


def now_ms():
    return int(time.time() * 1000)
