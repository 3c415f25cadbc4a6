"""Paths of the stores in Spark: `managed_fs:/x`, `dbfs:/x`, `objstore://bucket/x`, `workspace:/x` and the paths at
which programs find them (`/dbfs/x`, `/Volumes/x`, `/Workspace/x`) name files of this service.

Spark knows none of these schemes, and the first is not even valid for it. Readers, writers and SQL statements of
PySpark therefore receive the file instead. The classes are changed when their modules are imported.
"""

import functools
import importlib.abc
import importlib.util
import re
import sys

READ = ("load", "csv", "json", "text", "parquet", "orc", "xml", "option", "options")
WRITE = ("save", "csv", "json", "text", "parquet", "orc", "xml", "option", "options", "saveAsTable")
STREAM_WRITE = ("start", "option", "options", "toTable")
#: Module -> class -> methods with paths among their arguments.
METHODS = {
    "pyspark.sql.readwriter": {"DataFrameReader": READ, "DataFrameWriter": WRITE},
    "pyspark.sql.connect.readwriter": {"DataFrameReader": READ, "DataFrameWriter": WRITE},
    "pyspark.sql.streaming.readwriter": {"DataStreamReader": READ, "DataStreamWriter": STREAM_WRITE},
    "pyspark.sql.connect.streaming.readwriter": {"DataStreamReader": READ, "DataStreamWriter": STREAM_WRITE},
    "pyspark.core.context": {"SparkContext": ("textFile", "wholeTextFiles", "addFile", "addPyFile")},
    "pyspark.core.rdd": {"RDD": ("saveAsTextFile",)},
    "delta.tables": {"DeltaTable": ("forPath", "isDeltaTable", "convertToDelta")},
}
#: Module -> class with a method `sql`, whose first argument is a statement.
STATEMENTS = {"pyspark.sql.session": "SparkSession", "pyspark.sql.connect.session": "SparkSession"}


class PathFinder(importlib.abc.MetaPathFinder):
    """Changes the classes of a module after its import. `stores`: scheme -> directory."""

    def __init__(self, stores):
        self.stores = stores
        self.searching = set()

    def find_spec(self, name, path=None, target=None):
        if name in self.searching or (name not in METHODS and name not in STATEMENTS):
            return None
        self.searching.add(name)
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self.searching.discard(name)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def execute_and_change(module):
                execute(module)
                change_module(module, name, self.stores)

            spec.loader.exec_module = execute_and_change
        return spec


def install(stores):
    """Makes the modules of PySpark that are imported from now on accept the paths."""
    sys.meta_path.insert(0, PathFinder(stores))


def change_module(module, name, stores):
    for class_name, methods in METHODS.get(name, {}).items():
        for method in methods:
            wrap(getattr(module, class_name, None), method, lambda value: resolve_path(value, stores))
    if name in STATEMENTS:
        wrap(getattr(module, STATEMENTS[name], None), "sql", lambda value: resolve_text(value, stores))


def wrap(kind, method, convert):
    """Converts the arguments of a method. Missing classes and methods belong to other versions of PySpark."""
    original = None if kind is None else kind.__dict__.get(method)
    if original is None:
        return
    function = original.__func__ if isinstance(original, classmethod) else original

    @functools.wraps(function)
    def wrapped(self, *values, **options):
        return function(
            self,
            *[convert(value) for value in values],
            **{name: convert(value) for name, value in options.items()},
        )

    setattr(kind, method, classmethod(wrapped) if isinstance(original, classmethod) else wrapped)


def prefixes_of(stores):
    """Returns pairs of a prefix, whose slash at the end may be repeated, and the directory that it stands for."""
    found = [(scheme + ":/", directory) for scheme, directory in stores.items()]
    mounts = (("/dbfs/", "managed_fs", ""), ("/Volumes/", "managed_fs", "/Volumes"), ("/Workspace/", "workspace", ""))
    for prefix, store, inside in mounts:
        if store in stores:
            found += [(scheme + prefix, stores[store] + inside) for scheme in ("", "file:", "file://")]
    return found


def resolve_path(value, stores):
    """Returns the file of a path with the scheme of a store; other values unchanged."""
    if isinstance(value, (list, tuple)):
        return type(value)(resolve_path(each, stores) for each in value)
    if not isinstance(value, str):
        return value
    for prefix, directory in prefixes_of(stores):
        if value.startswith(prefix):
            return "file://" + directory + "/" + value[len(prefix) :].lstrip("/")
    return value


def resolve_text(value, stores):
    """Replaces quoted paths in the text of a statement."""
    if not isinstance(value, str):
        return value
    for prefix, directory in prefixes_of(stores):
        pattern = r"(['\"`])%s/*" % re.escape(prefix)
        value = re.sub(
            pattern, lambda match, place=directory: match.group(1) + "file://" + place + "/", value
        )
    return value
