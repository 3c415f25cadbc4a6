"""Spark of a notebook: `spark`, `sc`, `sqlContext` and `%sql`, created by the first cell that uses them.

The variables of the attempt (SPARK_REMOTE or PYSPARK_SUBMIT_ARGS) choose the session: one on the shared driver of
the cluster, or a driver of the notebook's own.
"""

import re
import sys
import warnings

from .sql_statements import split_statements

#: Text of a cell that uses Spark.
SPARK_USE = re.compile(r"\b(?:spark|sc|sqlContext|pyspark|delta)\b")
CREATE_WIDGET = re.compile(r"CREATE\s+WIDGET\s+\w+\s+(\w+)\s+DEFAULT\s+'((?:[^']|'')*)'", re.IGNORECASE)
SESSION_SWITCH = "runyard.spark.session"


class MissingSparkContext:
    """`sc` of a Connect session: every use explains which setting of the cluster provides it."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        raise NotImplementedError(
            'sc.%s is not available in a Spark Connect session. Set "%s": "classic" in spark_conf of the '
            "cluster: then the notebook gets a driver of its own with a SparkContext." % (name, SESSION_SWITCH)
        )


class NotebookSpark:
    """`names`: namespace of the notebook."""

    def __init__(self, names):
        self.names = names
        self.session = None

    def prepare(self, source):
        """Creates the names of Spark before a cell that uses them."""
        if self.session is None and SPARK_USE.search(source):
            self.start()

    def start(self):
        """Returns the session, created by the first call."""
        if self.session is not None:
            return self.session
        # Warnings of libraries about their versions are of no use in a notebook.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from pyspark.sql import SparkSession

            self.session = SparkSession.builder.getOrCreate()
        is_connect = type(self.session).__module__.startswith("pyspark.sql.connect")
        self.names.setdefault("spark", self.session)
        self.names.setdefault("sc", MissingSparkContext() if is_connect else self.session.sparkContext)
        self.names.setdefault("sqlContext", create_sql_context(self.session, is_connect))
        return self.session

    def sql(self, source, parameters, widgets):
        """Runs the statements of a cell and returns the data frame of the last; None without a statement."""
        session, result = self.start(), None
        for statement in split_statements(source):
            widget = CREATE_WIDGET.match(statement)
            if widget is not None:
                widgets.text(widget.group(1), widget.group(2).replace("''", "'"))
                parameters, result = widgets.getAll(), None
                continue
            used = {name: value for name, value in parameters.items() if uses_parameter(statement, name)}
            result = session.sql(statement, args=used) if used else session.sql(statement)
        return result


def uses_parameter(statement, name):
    return re.search(r"(?<![:\w]):%s\b" % re.escape(name), statement) is not None


def create_sql_context(session, is_connect):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if is_connect:
            try:
                from pyspark.sql.connect.context import SQLContext
            except ImportError:
                return session
            return SQLContext(session)
        from pyspark.sql import SQLContext

        return SQLContext(session.sparkContext, session)


def is_spark_frame(value):
    """Tells whether a value is a data frame of Spark, without an import of Spark."""
    kind = type(value)
    return "pyspark" in sys.modules and kind.__name__ == "DataFrame" and kind.__module__.startswith("pyspark.sql")
