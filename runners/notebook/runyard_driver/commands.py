"""Runs other programs for a cell and streams their output to the cell and to the log."""

import codecs
import os
import selectors
import shutil
import subprocess
import sys
import tempfile

from .cell_errors import CellError

#: Seconds to wait for output after a program has ended while one of its children keeps the stream open.
DRAIN_SECONDS = 0.2


def run_command(argv, streams=None):
    """Runs a program and returns its exit code; negative for a signal."""
    streams = streams or (sys.stdout, sys.stderr)
    sys.stdout.flush()
    child = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        copy_streams(child, streams)
        return child.wait()
    finally:
        # The output limit was exceeded, or the cell was interrupted.
        if child.poll() is None:
            child.kill()
            child.wait()
        child.stdout.close()
        child.stderr.close()


def copy_streams(child, streams):
    """Copies both streams until they end, or until the program has ended and they stay silent."""
    decode = codecs.getincrementaldecoder("utf-8")
    with selectors.DefaultSelector() as selector:
        for pipe, stream in zip((child.stdout, child.stderr), streams):
            os.set_blocking(pipe.fileno(), False)
            selector.register(pipe, selectors.EVENT_READ, (stream, decode("backslashreplace")))
        while selector.get_map():
            ready = selector.select(DRAIN_SECONDS)
            if not ready and child.poll() is not None:
                break
            for key, _ in ready:
                stream, decoder = key.data
                data = os.read(key.fd, 65536)
                text = decoder.decode(data, final=not data)
                if text:
                    stream.write(text)
                if not data:
                    selector.unregister(key.fileobj)


def run_shell(script, options=""):
    """Runs a shell script with bash (sh if bash is missing) and returns its exit code."""
    with tempfile.NamedTemporaryFile("w", suffix=".sh", encoding="utf-8", errors="surrogateescape") as file:
        file.write(script + "\n")
        file.flush()
        return run_command([shutil.which("bash") or "sh", *options.split(), file.name])


def run_shell_cell(script, options):
    """Runs a `%sh` cell. With `-e` a failing command raises CellError; otherwise the exit code is printed."""
    code = run_shell(script, options)
    if code == 0:
        return
    status = "exit code %d" % code if code > 0 else "signal %d" % -code
    if "e" in options.replace("-", " ").replace(" ", ""):
        raise CellError("The %%sh cell ended with %s." % status)
    sys.stderr.write("The shell ended with %s. (With %%sh -e this would fail the cell.)\n" % status)
