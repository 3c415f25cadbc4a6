"""Task values: set by a notebook for downstream tasks, read from upstream tasks."""

import json
import os


class TaskValues:
    """`dbutils.jobs.taskValues`.

    `order`: `file` for the values, `before` (values of upstream tasks: task key to name to JSON text),
    `valueBytes` and `allBytes` (maximum bytes of one value, and of all values with their names).
    """

    def __init__(self, order):
        self._order = order
        # Values set before a restart of Python.
        self._own = read_values(order["file"])

    def set(self, key, value):
        """Sets a JSON value. It is stored at once and kept even if the notebook fails later."""
        if not isinstance(key, str) or not key:
            raise ValueError("The key of a task value is %r; it must be a non-empty string." % (key,))
        text = to_json(key, value)
        size = len(text.encode("utf-8"))
        if size > self._order["valueBytes"]:
            raise ValueError(
                'The task value "%s" is %d bytes of JSON; at most %d are allowed. Store it in a file and set '
                "its path." % (key, size, self._order["valueBytes"])
            )
        own = {**self._own, key: text}
        total = sum(len(part.encode("utf-8")) for pair in own.items() for part in pair)
        if total > self._order["allBytes"]:
            raise ValueError(
                'With the task value "%s" the values of this task are %d bytes of JSON; at most %d are '
                "allowed. Store them in a file and set its path." % (key, total, self._order["allBytes"])
            )
        write_values(self._order["file"], own)
        self._own = own

    def get(self, taskKey, key, default=None, debugValue=None):
        """Returns a value set by an upstream task, else `default`. Ignores `debugValue`."""
        values = self._order["before"].get(taskKey)
        if values is not None and key in values:
            return json.loads(values[key])
        if default is not None:
            return default
        if values is None:
            raise ValueError(
                'Task "%s" is not upstream of this task (upstream tasks: %s). Add it to depends_on.'
                % (taskKey, ", ".join(sorted(self._order["before"])) or "none")
            )
        raise ValueError(
            'Task "%s" has not set "%s"; %s. Set it there, or pass a default.'
            % (
                taskKey,
                key,
                "its values are " + ", ".join(sorted(values)) if values else "no values were set",
            )
        )


def to_json(key, value):
    """Returns the value as JSON text. Raises ValueError for a value that is not JSON."""
    try:
        text = json.dumps(value, allow_nan=False, ensure_ascii=False)
        text.encode("utf-8")
        key.encode("utf-8")
        return text
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(
            'The task value "%s" cannot be encoded as JSON: %s.' % (ascii(key)[1:-1], error)
        ) from None


def read_values(file):
    try:
        with open(file, encoding="utf-8") as kept:
            return json.load(kept)
    except (OSError, ValueError):
        return {}


def write_values(file, values):
    """Writes the file so that a reader finds all of it or what was there before."""
    with open(file + ".part", "w", encoding="utf-8") as part:
        json.dump(values, part)
    os.replace(file + ".part", file)
