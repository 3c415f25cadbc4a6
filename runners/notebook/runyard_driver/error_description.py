"""Says how a cell failed: one line, and a traceback that shows the notebook's own code only."""
import os
import re
import traceback

DRIVER_PACKAGE = os.path.dirname(os.path.realpath(__file__))
DRIVER_FILE = os.path.join(os.path.dirname(DRIVER_PACKAGE), "driver.py")
CELL_FRAME = re.compile(r'^(\W*)File "(Cell \d+|/[^"\n]*, cell \d+)", line', re.MULTILINE)
#: Packages that run the notebook's code and are no part of it.
IPYTHON_PACKAGES = re.compile(r"[/\\](IPython|traitlets)[/\\]")
SUMMARY_CHARACTERS = 2000
TRACE_CHARACTERS = 200000


def cell_file_name(position):
    """The file name under which a cell is compiled."""
    return "Cell %d" % position


def describe_error(error):
    """(summary, trace) of an exception: `ZeroDivisionError: division by zero` and the traceback below which it lies."""
    described = traceback.TracebackException(type(error), error, error.__traceback__)
    remove_driver_frames(described)
    trace = CELL_FRAME.sub(r"\1\2, line", "".join(described.format())).rstrip("\n")
    # Python 3.11 puts notes after the line that names the exception, a syntax error has indented lines before it.
    last = next((line for line in described.format_exception_only() if not line.startswith(" ")), trace)
    summary = last.strip().split("\n")[0]
    return truncate_middle(summary, SUMMARY_CHARACTERS), truncate_middle(trace, TRACE_CHARACTERS)


def remove_driver_frames(described):
    """Drops the driver's own frames, in the exceptions behind this one and in the parts of a group as well."""
    described.stack[:] = [frame for frame in described.stack if not is_driver_frame(frame.filename)]
    behind = [described.__cause__, described.__context__] + list(getattr(described, "exceptions", None) or [])
    for other in behind:
        if other is not None:
            remove_driver_frames(other)


def is_driver_frame(filename):
    if IPYTHON_PACKAGES.search(filename):
        return True
    filename = os.path.realpath(filename)
    return filename == DRIVER_FILE or filename.startswith(DRIVER_PACKAGE + os.sep)


def truncate_middle(text, characters):
    if len(text) <= characters:
        return text
    half = characters // 2
    return text[:half] + " ... (%d characters left out) ... " % (len(text) - 2 * half) + text[-half:]
