"""Describes the error of a cell: a summary line, and a traceback of the notebook's own code."""

import os
import re
import traceback

DRIVER_PACKAGE = os.path.dirname(os.path.realpath(__file__))
DRIVER_FILE = os.path.join(os.path.dirname(DRIVER_PACKAGE), "driver.py")
CELL_FRAME = re.compile(r'^(\W*)File "(Cell \d+|/[^"\n]*, cell \d+)", line', re.MULTILINE)
#: Packages that run the code of the notebook; their frames are hidden.
IPYTHON_PACKAGES = re.compile(r"[/\\](IPython|traitlets)[/\\]")
JAVA_CAUSE = re.compile(r"^(?:Caused by: |: )((?:[a-z][\w$]*\.)+[A-Z][\w$]*(?:: .*)?)$", re.MULTILINE)
#: Exceptions of Spark that only wrap another one.
SPARK_WRAPPER = re.compile(
    r"org\.apache\.spark\.SparkException: (?:Job aborted|Exception thrown in|\[FAILED_EXECUTE_UDF\])|java\.util\.concurrent\."
)
SUMMARY_CHARACTERS = 2000
TRACE_CHARACTERS = 200000


def cell_file_name(position):
    """Returns the file name under which a cell is compiled."""
    return "Cell %d" % position


def describe_error(error):
    """Returns (summary, trace) of an exception, for example `ZeroDivisionError: division by zero`."""
    described = traceback.TracebackException(type(error), error, error.__traceback__)
    remove_driver_frames(described)
    trace = CELL_FRAME.sub(r"\1\2, line", "".join(described.format())).rstrip("\n")
    # Notes of Python 3.11 follow the line with the exception; syntax errors have indented lines before it.
    last = next((line for line in described.format_exception_only() if not line.startswith(" ")), trace)
    summary = find_spark_cause(error) or last.strip().split("\n")[0]
    return truncate_middle(summary, SUMMARY_CHARACTERS), truncate_middle(trace, TRACE_CHARACTERS)


def find_spark_cause(error):
    """Returns the line with the cause in the traces that an exception of PySpark quotes: the exception of a Python
    function of the notebook, else the innermost exception of Java. None for other exceptions."""
    if isinstance(error, ConnectionError) and type(error.__context__).__name__ == "Py4JNetworkError":
        # The Java process of the session is gone; the next use of it is refused.
        return "py4j.protocol.Py4JNetworkError: %s" % error.__context__
    if type(error).__module__.split(".")[0] not in ("pyspark", "py4j"):
        return None
    text = str(error)
    python = text.rpartition("Traceback (most recent call last):\n")
    if python[1]:
        return next((line.strip() for line in python[2].split("\n") if re.match(r"[^\s|]", line)), None)
    causes = [cause for cause in JAVA_CAUSE.findall(text) if not SPARK_WRAPPER.match(cause)]
    return causes[-1].strip() if causes else None


def remove_driver_frames(described):
    """Removes frames of the driver, also in chained exceptions and in the parts of a group."""
    described.stack[:] = [frame for frame in described.stack if not is_driver_frame(frame.filename)]
    chained = [described.__cause__, described.__context__] + list(
        getattr(described, "exceptions", None) or []
    )
    for other in chained:
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
