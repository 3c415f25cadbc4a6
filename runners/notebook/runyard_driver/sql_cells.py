"""`%sql` cells: a DuckDB process, started with the first cell, runs the statements in order."""

import json
import subprocess
import sys

from .cell_errors import CellError
from .tables import create_table_output, table_of


class SqlCells:
    """`command`: command of the process; `names`: namespace of the notebook, which receives `_sqldf`."""

    def __init__(self, command, names, recorder):
        self.command = command
        self.names = names
        self.recorder = recorder
        self.process = None

    def run(self, source, parameters):
        """Runs the statements of a cell and shows the rows of the last. `parameters`: values of `:name`."""
        answer = self.request({"sql": source, "parameters": parameters})
        if "error" in answer:
            raise CellError(answer["error"])
        names = [column["name"] for column in answer["columns"]]
        if not names:
            return
        self.names["_sqldf"] = to_frame(names, answer["rows"])
        shown = create_table_output(
            names, answer["rows"], answer["total"], [column["type"] for column in answer["columns"]]
        )
        self.recorder.add_output(shown)

    def request(self, body):
        if self.process is None or self.process.poll() is not None:
            self.process = self.start()
        try:
            self.process.stdin.write(json.dumps(body) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
            if line:
                return json.loads(line)
        except BrokenPipeError:
            pass
        code = self.process.wait()
        self.process = None
        raise CellError(
            "The SQL process of this notebook ended with code %d during the statement, which may need more "
            "memory than is available. Views and tables of earlier cells are lost." % code
        )

    def start(self):
        try:
            return subprocess.Popen(
                self.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=sys.__stderr__,
                encoding="utf-8",
            )
        except OSError as error:
            raise CellError("The process for %%sql cells could not be started: %s." % error) from None

    def close(self):
        if self.process is not None and self.process.poll() is None:
            self.process.stdin.close()


def show_spark_frame(frame, names, recorder):
    """Shows the rows of a statement of Spark, which become `_sqldf`. A command without rows shows nothing."""
    if not frame.columns:
        return
    names["_sqldf"] = frame
    recorder.add_output(table_of(frame))


def to_frame(names, rows):
    """Returns the rows as a pandas DataFrame, or as a list of dictionaries without pandas."""
    try:
        import pandas
    except ImportError:
        return [dict(zip(names, row)) for row in rows]
    return pandas.DataFrame([list(row) for row in rows], columns=names)
