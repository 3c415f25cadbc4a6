"""The module `dlt` of published pipelines, on Spark Declarative Pipelines.

Options without a counterpart in Spark are refused by name; those that only describe a table are ignored.
"""

from pyspark.pipelines.api import __dict__ as _spark_api

from runyard_datasets import DROP, FAIL, KEEP, add_expectations, collection, expectations_of
from runyard_datasets import Expectation as _Expectation
from runyard_datasets import signature_refuses as _refused_by

#: Options of tables that have no effect here: every table is stored, in files that Spark lays out.
_IGNORED = ("temporary", "private", "cluster_by_auto")
_TABLE = ("comment", "table_properties", "partition_cols", "cluster_by", "schema", "format")


def _options(what, given, known):
    """Returns the options that Spark takes. Others with a value are refused."""
    for name, value in given.items():
        if name not in known and name not in _IGNORED and value is not None:
            raise NotImplementedError("%s has the option %s, which Spark does not support here." % (what, name))
    return {name: value for name, value in given.items() if name in known and value is not None}


def _declare(kind, what, known):
    def decorator(query_function=None, *, name=None, spark_conf=None, **options):
        taken = _options("@dlt." + what, options, known)

        def outer(function):
            collection.add_dataset(kind, name or function.__name__, function, taken, spark_conf)
            return function

        return outer if query_function is None else outer(query_function)

    decorator.__name__ = what
    return decorator


table = _declare("TABLE", "table", _TABLE)
create_table = table
materialized_view = _declare("MATERIALIZED_VIEW", "materialized_view", _TABLE)
view = _declare("TEMPORARY_VIEW", "view", ("comment",))
create_view = view
temporary_view = view


def create_streaming_table(
    name, *, expect_all=None, expect_all_or_drop=None, expect_all_or_fail=None, spark_conf=None, **options
):
    groups = ((expect_all, KEEP), (expect_all_or_drop, DROP), (expect_all_or_fail, FAIL))
    expectations = [
        _Expectation(each, condition, action)
        for conditions, action in groups
        for each, condition in (conditions or {}).items()
    ]
    taken = _options("create_streaming_table", options, _TABLE)
    collection.add_dataset("STREAMING_TABLE", name, None, taken, spark_conf, expectations)


create_target_table = create_streaming_table
create_streaming_live_table = create_streaming_table


def append_flow(*, target, name=None, spark_conf=None, **options):
    if options.pop("once", False):
        raise NotImplementedError("append_flow has once=True, which Spark does not support here.")
    _options("append_flow", options, ("comment",))

    def outer(function):
        collection.add_flow(name or function.__name__, target, function, spark_conf)
        return function

    return outer


def create_auto_cdc_flow(*args, **options):
    original = _spark_api.get("create_auto_cdc_flow")
    if original is None:
        raise NotImplementedError("This version of Spark has no change feeds (create_auto_cdc_flow).")
    refused = _refused_by(original, [name for name, value in options.items() if value])
    if refused:
        raise NotImplementedError("create_auto_cdc_flow has the option %s, which Spark does not support here." % refused[0])
    known = {name: value for name, value in options.items() if name not in _refused_by(original, options)}
    collection.others.append(lambda: original(*args, **known))


apply_changes = create_auto_cdc_flow


def read(name):
    return _session().read.table(name)


def read_stream(name):
    return _session().readStream.table(name)


readStream = read_stream


def _session():
    from pyspark.sql import SparkSession

    return SparkSession.builder.getOrCreate()


def _expect(action):
    def one(name, condition):
        return lambda function: add_expectations(function, {name: condition}, action)

    def several(expectations):
        return lambda function: add_expectations(function, expectations, action)

    return one, several


expect, expect_all = _expect(KEEP)
expect_or_drop, expect_all_or_drop = _expect(DROP)
expect_or_fail, expect_all_or_fail = _expect(FAIL)


def __getattr__(name):
    raise AttributeError("dlt.%s is not supported: Spark Declarative Pipelines has no counterpart." % name)
