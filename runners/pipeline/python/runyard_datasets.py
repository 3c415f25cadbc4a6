"""Datasets of a pipeline: collected while its files are read, then registered with Spark.

Registration waits for the end of a file, because decorators with expectations may stand above the decorator that
declares the table.
"""

import inspect
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Optional

#: What happens to a row that violates an expectation.
KEEP, DROP, FAIL = "WARN", "DROP ROW", "FAIL UPDATE"
ATTRIBUTE = "__runyard_expectations__"
#: Begins the message of a row that fails the update.
VIOLATION = "Runyard expectation: "


@dataclass
class Expectation:
    name: str
    condition: str
    action: str


@dataclass
class Dataset:
    """A table or view. `kind`: STREAMING_TABLE, MATERIALIZED_VIEW, TEMPORARY_VIEW, or TABLE for one that its query decides."""

    kind: str
    name: str
    function: Optional[Callable[[], Any]]
    options: Dict[str, Any] = field(default_factory=dict)
    spark_conf: Dict[str, str] = field(default_factory=dict)
    expectations: List[Expectation] = field(default_factory=list)
    file: Optional[str] = None


@dataclass
class Flow:
    name: str
    target: str
    function: Callable[[], Any]
    spark_conf: Dict[str, str] = field(default_factory=dict)
    file: Optional[str] = None


class Collection:
    """What the files of the pipeline have declared."""

    def __init__(self):
        self.datasets: List[Dataset] = []
        self.flows: List[Flow] = []
        #: Calls of other functions of pyspark.pipelines, in their order.
        self.others: List[Callable[[], None]] = []
        self.file: Optional[str] = None

    def add_dataset(self, kind, name, function, options=None, spark_conf=None, expectations=()):
        self.datasets.append(
            Dataset(kind, name, function, options or {}, spark_conf or {}, list(expectations), self.file)
        )

    def add_flow(self, name, target, function, spark_conf=None):
        self.flows.append(Flow(name, target, function, spark_conf or {}, self.file))


collection = Collection()


def add_expectations(function, conditions, action):
    """Adds expectations, name -> condition, to a query function."""
    if not callable(function):
        raise TypeError("An expectation decorates a function; put it below the decorator of the table.")
    given = getattr(function, ATTRIBUTE, [])
    setattr(function, ATTRIBUTE, [Expectation(n, c, action) for n, c in conditions.items()] + given)
    return function


def expectations_of(function):
    return list(getattr(function, ATTRIBUTE, []))


def tables_of(parts):
    """Returns the name of a dataset without catalog and schema, in lower case."""
    return parts.replace("`", "").split(".")[-1].lower()


def apply_expectations(frame, expectations, label):
    """Applies expectations to the rows of a query. `label` names the counts of a streaming query."""
    from pyspark.sql import functions as f

    def met(expectation):
        # A condition that is NULL is violated.
        return f.coalesce(f.expr(expectation.condition).cast("boolean"), f.lit(False))

    if label is not None:
        counts = [f.count(f.lit(1)).alias("total")]
        counts += [f.count_if(~met(each)).alias("failed_%d" % at) for at, each in enumerate(expectations)]
        frame = frame.observe(label, *counts)
    for each in expectations:
        if each.action == FAIL:
            text = f.raise_error(f.lit("%s%s (%s)" % (VIOLATION, each.name, each.condition)))
            frame = frame.where(f.when(met(each), f.lit(True)).otherwise(text.cast("boolean")))
    for each in expectations:
        if each.action == DROP:
            frame = frame.where(met(each))
    if label is not None and any(each.action == DROP for each in expectations):
        frame = frame.observe(label + ":kept", f.count(f.lit(1)).alias("total"))
    return frame


def signature_refuses(function, options):
    """Returns the names of options that a function does not take."""
    known = inspect.signature(function).parameters
    return [name for name in options if name not in known]
