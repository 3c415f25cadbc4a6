"""Runs one update of a pipeline with Spark Declarative Pipelines, in a session of the cluster's driver.

    runyard_pipeline.py <definition.json>

Reports go to file descriptor 3, one JSON object per line; output of the pipeline's own code goes to stdout.
"""

import difflib
import importlib.util
import json
import os
import re
import sys
import traceback
from contextlib import nullcontext

import runyard_datasets as datasets
from runyard_datasets import KEEP, Expectation, apply_expectations, collection, expectations_of, tables_of


class UpdateError(Exception):
    """Ends the update with its message."""


def main(path):
    reports = os.fdopen(3, "w", buffering=1)

    def report(kind, **values):
        reports.write(json.dumps({"kind": kind, **values}) + "\n")

    with open(path, encoding="utf-8") as file:
        order = json.load(file)
    update = None
    try:
        update = Update(order, report)
        update.run()
        return 0
    except UpdateError as error:
        report("failure", error=str(error))
    except Exception as error:
        traceback.print_exc()
        report("failure", error=describe(error), file=collection.file)
    return 1


class Update:
    def __init__(self, order, report):
        try:
            import pyspark.pipelines  # noqa: F401
        except ImportError:
            raise UpdateError("Pipelines need Spark 4.1 or newer, with pyspark[pipelines]; see spark_version.") from None
        from pyspark.sql import SparkSession

        self.order = order
        self.report = report
        self.label = "runyard:%s:" % order["updateId"][:8]
        self.spark = SparkSession.builder.getOrCreate()
        #: Key of a table -> its declaration; key of a flow -> its target and expectations.
        self.tables = {}
        self.flows = {}
        self.error = None

    def run(self):
        self.prepare_session()
        graph = self.create_graph()
        self.define(graph)
        self.check_selection()
        request = self.order["request"]
        self.report("tables", names=[table.name for table in self.tables.values()])
        completed = self.execute(graph, request)
        if not request["validateOnly"]:
            self.report_rows(completed)

    def prepare_session(self):
        spark, order = self.spark, self.order
        for name, value in order["configuration"].items():
            try:
                spark.conf.set(name, value)
            except Exception as error:
                # Static properties belong to the driver, which has them already.
                if "CANNOT_MODIFY" not in str(error):
                    raise
        if order.get("schema"):
            location = "file://%s/current" % order["storage"]["directory"]
            spark.sql("CREATE DATABASE IF NOT EXISTS `%s` LOCATION '%s'" % (order["schema"], location))

    def create_graph(self):
        from pyspark.pipelines.spark_connect_pipeline import create_dataflow_graph

        order = self.order
        conf = {"spark.sql.pipelines.maxFlowRetryAttempts": "0", **order["configuration"]}
        return create_dataflow_graph(
            self.spark, default_catalog=None, default_database=order.get("schema"), sql_conf=conf
        )

    def define(self, graph):
        from pyspark.pipelines.graph_element_registry import graph_element_registration_context
        from pyspark.pipelines.spark_connect_graph_element_registry import SparkConnectGraphElementRegistry

        registry = SparkConnectGraphElementRegistry(self.spark, graph)
        with graph_element_registration_context(registry):
            extend_spark_api()
            self.read_python(graph)
            collection.file = None
            self.read_sql()
            self.register(graph)

    def read_python(self, graph):
        from pyspark.pipelines.add_pipeline_analysis_context import add_pipeline_analysis_context
        from pyspark.pipelines.block_session_mutations import block_session_mutations

        sys.path[:0] = self.order["roots"]
        for shown, path in self.order["python"]:
            collection.file = shown
            found = importlib.util.spec_from_file_location(re.sub(r"\W", "_", shown.strip("/"))[:-3], path)
            module = importlib.util.module_from_spec(found)
            module.__dict__["spark"] = self.spark
            context = add_pipeline_analysis_context(spark=self.spark, dataflow_graph_id=graph, flow_name=None)
            with context, block_session_mutations():
                found.loader.exec_module(module)

    def read_sql(self):
        for files in self.order["files"]:
            collection.add_dataset("TEMPORARY_VIEW", files["name"], self.reader_of(files))
        for view in self.order["views"]:
            collection.add_dataset("TEMPORARY_VIEW", view["name"], lambda sql=view["sql"]: self.spark.sql(sql))
        flows = {}
        for flow in self.order["flows"]:
            flows.setdefault(tables_of(flow["target"]), []).append(flow)
        for table in self.order["tables"]:
            own = flows.get(tables_of(table["name"]), [])
            is_view = table["kind"] == "MATERIALIZED_VIEW"
            function = (lambda sql=own[0]["sql"]: self.spark.sql(sql)) if is_view else None
            expectations = [Expectation(**each) for each in table["expectations"]]
            collection.add_dataset(table["kind"], table["name"], function, table["options"], None, expectations)
            for flow in [] if is_view else own:
                collection.add_flow(flow["name"], flow["target"], lambda sql=flow["sql"]: self.spark.sql(sql))

    def reader_of(self, files):
        """Returns the query function of files. A stream needs its columns beforehand."""
        reader = self.spark.read.format(files["format"]).options(**files["options"])
        if not files["stream"]:
            return lambda: reader.load(files["uri"])
        schema = reader.load(files["uri"]).schema
        stream = self.spark.readStream.format(files["format"]).schema(schema).options(**files["options"])
        return lambda: stream.load(files["uri"])

    def register(self, graph):
        from pyspark.pipelines import api

        for dataset in collection.datasets:
            function = dataset.function
            expectations = dataset.expectations + (expectations_of(function) if function else [])
            kind = self.kind_of(graph, dataset)
            collection.file = dataset.file
            if kind == "TEMPORARY_VIEW":
                query = self.query(function, expectations, None)
                api.temporary_view(name=dataset.name, spark_conf=dataset.spark_conf, **dataset.options)(query)
                continue
            dataset.kind, dataset.expectations = kind, expectations
            if tables_of(dataset.name) in self.tables:
                raise UpdateError("The pipeline has two tables named %s." % dataset.name)
            self.tables[tables_of(dataset.name)] = dataset
            if kind == "MATERIALIZED_VIEW":
                self.flows[tables_of(dataset.name)] = (dataset.name, expectations)
                query = self.query(function, expectations, None)
                api.materialized_view(name=dataset.name, spark_conf=dataset.spark_conf, **dataset.options)(query)
                continue
            api.create_streaming_table(dataset.name, **dataset.options)
            if function is not None:
                collection.add_flow(dataset.name, dataset.name, function, dataset.spark_conf)
        for flow in collection.flows:
            collection.file = flow.file
            table = self.tables.get(tables_of(flow.target))
            expectations = (table.expectations if table else []) + [
                each for each in expectations_of(flow.function) if table is None or each not in table.expectations
            ]
            self.flows[tables_of(flow.name)] = (flow.target, expectations)
            query = self.query(flow.function, expectations, self.label + tables_of(flow.name))
            api.append_flow(target=flow.target, name=flow.name, spark_conf=flow.spark_conf)(query)
        for call in collection.others:
            call()
        collection.file = None

    def kind_of(self, graph, dataset):
        """Returns the kind of a dataset; a table of `dlt` is a streaming one when its query reads a stream."""
        if dataset.kind != "TABLE":
            return dataset.kind
        from pyspark.pipelines.add_pipeline_analysis_context import add_pipeline_analysis_context

        context = add_pipeline_analysis_context(
            spark=self.spark, dataflow_graph_id=graph, flow_name=dataset.name
        )
        with context if dataset.function else nullcontext():
            plan = str(dataset.function()._plan.plan(self.spark.client))
        streams = "is_streaming: true" in plan or re.search(r"\bSTREAM\b\s*[(\w`]", plan)
        return "STREAMING_TABLE" if streams else "MATERIALIZED_VIEW"

    def query(self, function, expectations, label):
        def run():
            return apply_expectations(function(), expectations, label)

        return run

    def check_selection(self):
        request = self.order["request"]
        for name in [*request["refreshSelection"], *request["fullRefreshSelection"]]:
            if tables_of(name) in self.tables:
                continue
            known = [table.name for table in self.tables.values()]
            near = difflib.get_close_matches(name, known, 1, 0) or known
            raise UpdateError(
                "The selection names %s, which is not a table of this pipeline; did you mean %s?" % (name, near[0])
            )
        if not self.tables:
            raise UpdateError("The pipeline has no table: its files create none.")

    def execute(self, graph, request):
        """Runs the flows and returns the names of the completed ones, in the order of their ends."""
        from pyspark.pipelines.spark_connect_pipeline import start_run

        results = start_run(
            self.spark,
            graph,
            full_refresh=request["fullRefreshSelection"],
            full_refresh_all=request["fullRefresh"],
            refresh=request["refreshSelection"],
            dry=request["validateOnly"],
            storage="file://%s/checkpoints" % self.order["storage"]["directory"],
        )
        completed, failed, running = [], None, set()
        try:
            for result in results:
                if "pipeline_event_result" not in result:
                    continue
                message = result["pipeline_event_result"].event.message
                print(message, flush=True)
                found = re.match(r"Flow '?([^' ]+?)'? (?:is|has|was) ([A-Z_]+)\b:?(.*)", message, re.DOTALL)
                if found is None:
                    continue
                flow, status, reason = tables_of(found[1]), found[2], found[3].strip()
                if status in ("STARTING", "RUNNING") and flow not in running:
                    running.add(flow)
                    self.report_flow(flow, "RUNNING")
                elif status == "COMPLETED":
                    completed.append(flow)
                elif status == "FAILED":
                    failed = flow
                    self.error = describe(reason) if reason else None
        except Exception as error:
            if failed is None:
                raise
            reason = self.reason_of(error)
            self.report_flow(failed, "FAILED", error=reason)
            raise UpdateError("Flow %s failed: %s" % (failed, reason)) from error
        if failed is not None:
            reason = self.error or "Spark gave no reason."
            self.report_flow(failed, "FAILED", error=reason)
            raise UpdateError("Flow %s failed: %s" % (failed, reason))
        return completed

    def reason_of(self, error):
        reason = describe(error)
        return reason if self.error is None or datasets.VIOLATION in reason else self.error

    def report_flow(self, flow, status, **values):
        target, _ = self.flows.get(flow, (flow, []))
        self.report("flow", flow=flow, dataset=tables_of(target), status=status, **values)

    def report_rows(self, completed):
        observed = self.read_observations()
        for flow in completed:
            if flow not in self.flows:
                continue
            target, expectations = self.flows[flow]
            table = self.tables[tables_of(target)]
            if table.kind == "MATERIALIZED_VIEW":
                rows, quality = self.count_rows(table)
            else:
                total, failed, kept = observed.get(self.label + flow, (0, [0] * len(expectations), 0))
                rows = kept
                quality = {
                    "dropped_records": total - kept,
                    "expectations": [
                        self.count(each, target, total - bad, bad) for each, bad in zip(expectations, failed)
                    ],
                }
            self.report_flow(flow, "COMPLETED", rows=rows, quality=quality)

    def count(self, expectation, target, passed, failed):
        return {
            "name": expectation.name,
            "dataset": tables_of(target),
            "passed_records": passed,
            "failed_records": failed,
        }

    def count_rows(self, table):
        """Counts the rows of a materialized view. Rows that were dropped leave no trace."""
        from pyspark.sql import functions as f

        kept = [each for each in table.expectations if each.action == KEEP]
        met = [f.count_if(f.expr(each.condition).cast("boolean")) for each in kept]
        frame = self.spark.table(self.qualified(table.name)).agg(f.count(f.lit(1)), *met)
        rows, *passed = frame.collect()[0]
        counted = {id(each): value for each, value in zip(kept, passed)}
        quality = [
            self.count(each, table.name, counted.get(id(each), rows), rows - counted.get(id(each), rows))
            for each in table.expectations
        ]
        return rows, {"dropped_records": 0, "expectations": quality}

    def qualified(self, name):
        schema = self.order.get("schema")
        return name if schema is None or "." in name else "%s.%s" % (schema, name)

    def read_observations(self):
        """Reads the counts of streaming flows from the event log: label -> (all rows, violations, kept rows)."""
        directory = self.order.get("eventLog")
        if directory is None or not os.path.isdir(directory):
            return {}
        # Events are written in their order, so that those of the flows precede this query.
        marker = "runyard_%s" % self.order["updateId"].replace("-", "")
        self.spark.sql("SELECT 1 AS %s" % marker).collect()
        for _ in range(100):
            lines = [line for path in os.scandir(directory) for line in open(path, encoding="utf-8")]
            if any(marker in line for line in lines):
                break
            import time

            time.sleep(0.1)
        return sum_observations(line for line in lines if "QueryProgressEvent" in line and self.label in line)


def sum_observations(lines):
    totals, kept = {}, {}
    for line in lines:
        progress = json.loads(line)["progress"]
        progress = json.loads(progress) if isinstance(progress, str) else progress
        for label, row in progress.get("observedMetrics", {}).items():
            values = row["values"] if "values" in row else list(row.values())
            into = kept if label.endswith(":kept") else totals
            name = label.removesuffix(":kept")
            into[name] = [a + b for a, b in zip(into.get(name, [0] * len(values)), values)]
    return {name: (row[0], row[1:], kept.get(name, row)[0]) for name, row in totals.items()}


def extend_spark_api():
    """Adds what `pyspark.pipelines` has on the vendor's service and Spark's own module lacks."""
    import dlt
    import pyspark.pipelines as pipelines

    for name in ("expect", "expect_all"):
        for suffix in ("", "_or_drop", "_or_fail"):
            if not hasattr(pipelines, name + suffix):
                setattr(pipelines, name + suffix, getattr(dlt, name + suffix))
    pipelines.table = declare_streaming_table
    for name in ("materialized_view", "temporary_view", "create_streaming_table", "append_flow"):
        setattr(pipelines, name, getattr(dlt, name))
    for name in ("view", "create_auto_cdc_flow"):
        if not hasattr(pipelines, name):
            setattr(pipelines, name, getattr(dlt, name))


def declare_streaming_table(query_function=None, **options):
    import dlt

    return dlt._declare("STREAMING_TABLE", "table", dlt._TABLE)(query_function, **options)


def describe(error):
    """Returns the reason of an error without the trace of the JVM."""
    text = str(error).split("\n\nJVM stacktrace")[0].strip()
    found = re.search(re.escape(datasets.VIOLATION) + r"(.+?\))(?:\s|$|')", text)
    if found is not None:
        return "a row does not meet the expectation %s, which fails the update." % found[1]
    name = "" if "SQLSTATE" in text or isinstance(error, str) else type(error).__name__ + ": "
    return name + (text or "no reason was given")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
