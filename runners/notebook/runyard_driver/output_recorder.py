"""Records the output of a cell in order of appearance. Streams go to the log files as well."""

import io
import json
import threading


class CellTooLarge(BaseException):
    """The output of a cell exceeds the limit. Not an Exception: handlers in the cell must not catch it."""


def escape_surrogates(text):
    """Returns the text with lone surrogates, which UTF-8 cannot encode, as escape sequences."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


class OutputRecorder:
    """Outputs of the running cell. `limit`: maximum output of a cell in bytes of UTF-8."""

    def __init__(self, limit):
        self.limit = limit
        # Re-entrant: a finalizer that runs while the lock is held may print.
        self.lock = threading.RLock()
        self.start_cell()

    def start_cell(self):
        with self.lock:
            self.entries = []
            self.size = 0
            self.overflowed = False

    def add_text(self, kind, text):
        """Adds a text; consecutive texts of one stream are joined. Raises CellTooLarge beyond the limit."""
        if not text:
            return
        data = text.encode("utf-8", "backslashreplace")
        with self.lock:
            available = self.limit - self.size
            self.count_bytes(len(data))
            if len(data) > available:
                data = data[: max(available, 0)]
            if self.entries and self.entries[-1][0] == kind and kind in ("stdout", "stderr"):
                self.entries[-1][1].append(data)
            elif data:
                self.entries.append((kind, [data]))
            if self.overflowed:
                raise CellTooLarge()

    def add_output(self, output):
        """Adds a whole table or image. Raises CellTooLarge beyond the limit."""
        size = len(json.dumps(output, ensure_ascii=False).encode("utf-8", "backslashreplace"))
        with self.lock:
            self.count_bytes(size)
            if self.overflowed:
                raise CellTooLarge()
            self.entries.append((output["type"], output))

    def count_bytes(self, size):
        self.size += size
        self.overflowed = self.overflowed or self.size > self.limit

    def outputs(self):
        """Returns the outputs so far in the form of the report."""
        with self.lock:
            return [to_output(kind, content) for kind, content in self.entries]


def to_output(kind, content):
    if isinstance(content, dict):
        return content
    return {"type": kind, "data": b"".join(content).decode("utf-8", "ignore")}


def format_bytes(count):
    """Returns a size for people: whole megabytes as MB, other sizes in bytes."""
    return "%d bytes" % count if count % 2**20 else "%d MB" % (count // 2**20)


class Tee(io.TextIOBase):
    """sys.stdout or sys.stderr of a notebook: writes every text to the log file and to the recorder."""

    def __init__(self, kind, real, recorder):
        self.kind = kind
        self.real = real
        self.recorder = recorder

    # Libraries read these properties. Bytes written to `buffer` or to the descriptor reach only the log.
    encoding = property(lambda self: self.real.encoding)
    errors = property(lambda self: self.real.errors)
    buffer = property(lambda self: self.real.buffer)
    name = property(lambda self: self.real.name)

    def writable(self):
        return True

    def fileno(self):
        return self.real.fileno()

    def write(self, text):
        self.real.write(text)
        self.recorder.add_text(self.kind, text)
        return len(text)

    def flush(self):
        self.real.flush()

    def close(self):
        """Does nothing: closing stdout in one cell must not silence later cells."""
