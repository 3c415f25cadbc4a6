"""Values that a notebook sets for the tasks after it, and reads from the tasks before it."""
import json
import os


class TaskValues:
    """`dbutils.jobs.taskValues`. `order`: `file` to keep the values in, `before` (task key to name to JSON text),
    `valueBytes` and `allBytes` (most bytes of one value as JSON, and of all values with their names)."""

    def __init__(self, order):
        self._order = order
        # Python may have been restarted since the first of them was set.
        self._own = read_values(order["file"])

    def set(self, key, value):
        """Sets a value: anything that JSON can express. It is kept at once, also when the notebook fails later."""
        if not isinstance(key, str) or not key:
            raise ValueError("The key of a task value is a text that is not empty, not %r." % (key,))
        text = to_json(key, value)
        size = len(text.encode("utf-8"))
        if size > self._order["valueBytes"]:
            raise ValueError('The task value "%s" is %d bytes of JSON; at most %d are allowed. Keep it in a file and set '
                             "its path." % (key, size, self._order["valueBytes"]))
        own = {**self._own, key: text}
        total = sum(len(part.encode("utf-8")) for pair in own.items() for part in pair)
        if total > self._order["allBytes"]:
            raise ValueError('With the task value "%s" the values of this task are %d bytes of JSON; at most %d are '
                             "allowed. Keep them in a file and set its path." % (key, total, self._order["allBytes"]))
        write_values(self._order["file"], own)
        self._own = own

    def get(self, taskKey, key, default=None, debugValue=None):
        """The value that a task before this one has set; `default` when it has not. `debugValue` counts only where no
        job runs, which is never the case here."""
        values = self._order["before"].get(taskKey)
        if values is not None and key in values:
            return json.loads(values[key])
        if default is not None:
            return default
        if values is None:
            raise ValueError('Task "%s" is not one of the tasks that come before this one (%s). Name it in depends_on.'
                             % (taskKey, ", ".join(sorted(self._order["before"])) or "there are none"))
        raise ValueError('Task "%s" has set no value named "%s" (it has set: %s). Set it there, or give a default here.'
                         % (taskKey, key, ", ".join(sorted(values)) or "none"))


def to_json(key, value):
    """The value as JSON text. Raises ValueError for what JSON cannot express."""
    try:
        text = json.dumps(value, allow_nan=False, ensure_ascii=False)
        text.encode("utf-8")
        key.encode("utf-8")
        return text
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError('The task value "%s" cannot be expressed in JSON: %s.' % (ascii(key)[1:-1], error)) from None


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
