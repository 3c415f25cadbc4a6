"""Paths of dbutils in Spark: `managed_fs:/x` is no valid scheme for Spark, so readers, writers and SQL of a
notebook receive the file instead. `dbfs:/` and `objstore://` are file systems of the cluster's Spark."""

import functools
import re

#: Methods with paths among their arguments, by class.
METHODS = {
    "DataFrameReader": ("load", "csv", "json", "text", "parquet", "orc", "xml", "option", "options"),
    "DataFrameWriter": ("save", "csv", "json", "text", "parquet", "orc", "xml", "option", "options", "saveAsTable"),
    "DataStreamReader": ("load", "csv", "json", "text", "parquet", "orc", "option", "options"),
    "DataStreamWriter": ("start", "option", "options", "toTable"),
}


def install(stores):
    """Makes the classes of both kinds of sessions accept the paths. `stores`: scheme -> directory."""
    for reader, streaming, session in import_modules():
        for module in (reader, streaming):
            for name, methods in METHODS.items():
                kind = getattr(module, name, None)
                for method in methods if kind is not None else ():
                    wrap(kind, method, lambda value: resolve_path(value, stores))
        wrap(session.SparkSession, "sql", lambda value: resolve_text(value, stores))


def import_modules():
    """Returns the modules of readers, of streaming and of sessions, for each kind of session that exists."""
    found = []
    try:
        from pyspark.sql.connect import readwriter, session
        from pyspark.sql.connect.streaming import readwriter as streaming

        found.append((readwriter, streaming, session))
    except ImportError:
        pass
    try:
        from pyspark.sql import readwriter as classic
        from pyspark.sql.streaming import readwriter as classic_streaming

        try:
            from pyspark.sql.classic import dataframe as _  # noqa: F401
        except ImportError:
            pass
        from pyspark.sql import session as classic_session

        found.append((classic, classic_streaming, classic_session))
    except ImportError:
        pass
    return found


def wrap(kind, method, convert):
    original = kind.__dict__.get(method)
    if original is None or hasattr(original, "runyard_original"):
        return

    @functools.wraps(original)
    def wrapped(self, *values, **options):
        return original(
            self,
            *[convert(value) for value in values],
            **{name: convert(value) for name, value in options.items()},
        )

    wrapped.runyard_original = original
    setattr(kind, method, wrapped)


def resolve_path(value, stores):
    """Returns the file of a path with the scheme of a store; other values unchanged."""
    if isinstance(value, (list, tuple)):
        return type(value)(resolve_path(each, stores) for each in value)
    if not isinstance(value, str):
        return value
    for scheme, directory in stores.items():
        if value.startswith(scheme + ":/"):
            return "file://" + directory + "/" + value[len(scheme) + 1 :].lstrip("/")
    return value


def resolve_text(value, stores):
    """Replaces quoted paths in the text of a statement."""
    if not isinstance(value, str):
        return value
    for scheme, directory in stores.items():
        value = re.sub(
            r"(['\"`])%s:/+" % re.escape(scheme), lambda match: match.group(1) + "file://" + directory + "/", value
        )
    return value
