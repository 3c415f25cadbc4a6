"""Keeps what a cell shows, in the order in which it appeared, beside the log files that get it as well."""
import io
import json
import threading


class CellTooLarge(BaseException):
    """A cell showed more than it may. Not an Exception, so that the cell's own handlers let it pass."""


def escape_surrogates(text):
    """The text with what UTF-8 cannot hold (lone surrogates) spelled as escapes."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


class OutputRecorder:
    """The outputs of the cell that is running. `limit` is the most bytes of UTF-8 that a cell may show."""

    def __init__(self, limit):
        self.limit = limit
        # Re-entrant: an object collected while the lock is held may print from its finalizer.
        self.lock = threading.RLock()
        self.start_cell()

    def start_cell(self):
        with self.lock:
            self.entries = []
            self.size = 0
            self.overflowed = False

    def add_text(self, kind, text):
        """Adds a text; consecutive ones of a stream become one. Raises CellTooLarge beyond the limit."""
        if not text:
            return
        data = text.encode("utf-8", "backslashreplace")
        with self.lock:
            room = self.limit - self.size
            self.count_bytes(len(data))
            if len(data) > room:
                data = data[:max(room, 0)]
            if self.entries and self.entries[-1][0] == kind and kind in ("stdout", "stderr"):
                self.entries[-1][1].append(data)
            elif data:
                self.entries.append((kind, [data]))
            if self.overflowed:
                raise CellTooLarge()

    def add_output(self, output):
        """Adds a table or an image, all of it or nothing. Raises CellTooLarge beyond the limit."""
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
        """What was shown so far, as the report holds it."""
        with self.lock:
            return [to_output(kind, content) for kind, content in self.entries]


def to_output(kind, content):
    if isinstance(content, dict):
        return content
    return {"type": kind, "data": b"".join(content).decode("utf-8", "ignore")}


class Tee(io.TextIOBase):
    """sys.stdout or sys.stderr of a notebook: every text goes to the log file and to the recorder."""

    def __init__(self, kind, real, recorder):
        self.kind = kind
        self.real = real
        self.recorder = recorder

    # What libraries ask of a standard stream; bytes written to `buffer` or the descriptor reach the log alone.
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
        """Does nothing: a cell that closes its stdout would silence all cells after it."""
