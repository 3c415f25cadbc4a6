"""Converts data frames and lists of rows to table outputs."""

import datetime
import decimal
import json
import math

from .spark_session import is_spark_frame

#: Maximum rows and characters of a table output.
ROWS_MAX = 10000
CHARACTERS_MAX = 2 * 1024 * 1024
#: Larger integers lose precision in JSON readers that use doubles.
INTEGER_MAX = 2**53 - 1


def table_of(value):
    """Returns the table output of a value; None if it is not a table."""
    if is_spark_frame(value):
        return table_of_spark_frame(value)
    parts = parts_of_frame(value) or parts_of_rows(value)
    if parts is None:
        return None
    names, rows, total = parts
    return create_table_output(names, rows, total)


def table_of_spark_frame(frame):
    """Returns the first rows of a data frame of Spark with the types of its columns. Spark does not count the
    others: `rowsTotal` is then one more than the rows that are shown."""
    rows = [list(row) for row in frame.limit(ROWS_MAX + 1).collect()]
    types = [field.dataType.simpleString() for field in frame.schema.fields]
    shown = [[to_spark_value(value) for value in row] for row in rows[:ROWS_MAX]]
    return create_table_output(list(frame.columns), shown, len(rows), types)


def to_spark_value(value):
    """Converts rows, arrays and maps to JSON text."""
    if isinstance(value, tuple) and hasattr(value, "asDict"):
        value = value.asDict(recursive=True)
    return json.dumps(value, default=str, ensure_ascii=False) if isinstance(value, (list, dict)) else value


def create_table_output(names, rows, total, types=None):
    """Creates a table output of rows (lists of values), truncated to the limits. `total`: all rows."""
    shown, characters = [], 0
    for row in rows:
        values = [to_json_value(value) for value in row]
        characters += sum(len(value) if isinstance(value, str) else 8 for value in values)
        if len(shown) == ROWS_MAX or (characters > CHARACTERS_MAX and shown):
            break
        shown.append(values)
    if types is None:
        types = [column_type_of(list(row[index] for row in rows[:1000])) for index in range(len(names))]
    columns = [
        {"name": name if isinstance(name, str) else str(name), "type": kind}
        for name, kind in zip(names, types)
    ]
    output = {"type": "table", "columns": columns, "rows": shown}
    if total > len(shown):
        output["rowsTotal"] = total
    return output


def parts_of_frame(value):
    """Returns (names, rows, number of all rows) of a pandas, polars or Arrow data frame, else None."""
    module = type(value).__module__.split(".")[0]
    kind = type(value).__name__
    if module == "pyspark" and hasattr(value, "to_pandas") and hasattr(value, "head"):
        # pandas on Spark.
        return parts_of_frame(value.head(ROWS_MAX).to_pandas())
    if module == "pandas" and kind == "Series":
        value, kind = value.to_frame(), "DataFrame"
    if module == "pandas" and kind == "DataFrame":
        part = value.head(ROWS_MAX)
        # A RangeIndex is not shown as a column.
        if part.index.name is not None or type(part.index).__name__ != "RangeIndex":
            part = with_index(part)
        names = [" ".join(map(str, name)) if isinstance(name, tuple) else name for name in part.columns]
        return names, [list(row) for row in part.itertuples(index=False, name=None)], len(value)
    if module == "polars" and kind == "DataFrame":
        return list(value.columns), [list(row) for row in value.head(ROWS_MAX).rows()], value.height
    if module == "pyarrow" and kind == "Table":
        rows = value.slice(0, ROWS_MAX).to_pylist()
        return (
            list(value.column_names),
            [[row[name] for name in value.column_names] for row in rows],
            value.num_rows,
        )
    return None


def with_index(frame):
    try:
        return frame.reset_index()
    except ValueError:
        # A column already has the name of the index.
        return frame


def parts_of_rows(value):
    """Returns the same for a list of dictionaries with string keys."""
    if not isinstance(value, (list, tuple)) or not value:
        return None
    if not all(isinstance(row, dict) and all(isinstance(key, str) for key in row) for row in value):
        return None
    names = list(dict.fromkeys(key for row in value for key in row))
    return names, [[row.get(name) for name in names] for row in value[:ROWS_MAX]], len(value)


def to_json_value(value):
    """Converts a value of a table to a string, number, boolean or None."""
    if value is None or isinstance(value, (bool, str)):
        return (
            value if not isinstance(value, str) else value.encode("utf-8", "backslashreplace").decode("utf-8")
        )
    if isinstance(value, int):
        return int(value) if abs(value) <= INTEGER_MAX else str(value)
    if isinstance(value, float):
        return None if math.isnan(value) else float(value) if math.isfinite(value) else str(value)
    if isinstance(value, (datetime.date, datetime.time)):
        text = value.isoformat(*([" "] if isinstance(value, datetime.datetime) else []))
        return None if text == "NaT" else text
    if isinstance(value, (bytes, bytearray)):
        return bytes(value).hex()
    if type(value).__module__ == "numpy" and hasattr(value, "item") and getattr(value, "ndim", 1) == 0:
        inner = value.item()
        return str(value) if type(inner).__module__ == "numpy" else to_json_value(inner)
    text = str(value)
    return None if text in ("NaT", "<NA>") else text.encode("utf-8", "backslashreplace").decode("utf-8")


#: Python type -> name of the column type. Subclasses first: bool before int, datetime before date.
TYPE_NAMES = (
    (bool, "boolean"),
    (int, "bigint"),
    (float, "double"),
    (str, "string"),
    (decimal.Decimal, "decimal"),
    (datetime.datetime, "timestamp"),
    (datetime.date, "date"),
    ((bytes, bytearray), "binary"),
)


def column_type_of(values):
    """Returns the type of a column by its values; string for mixed types."""
    found = {type_name_of(value) for value in values if to_json_value(value) is not None}
    if found == {"bigint", "double"}:
        return "double"
    return found.pop() if len(found) == 1 else "string"


def type_name_of(value):
    if type(value).__module__ == "numpy" and hasattr(value, "item"):
        value = value.item()
    return next((name for kind, name in TYPE_NAMES if isinstance(value, kind)), "string")
