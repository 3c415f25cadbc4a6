"""Runs the ops of dagster-databricks, and its Pipes client with a task that reports to Dagster."""
import io
import os

import dagster
from dagster_databricks import (
    DatabricksClientResource,
    PipesDatabricksClient,
    PipesDbfsMessageReader,
    create_databricks_run_now_op,
    create_databricks_submit_run_op,
)
from databricks.sdk import WorkspaceClient
from databricks.sdk.service import compute, jobs
from steps import run_steps, step

client = WorkspaceClient()
resources = {"databricks": DatabricksClientResource(host=client.config.host, token=client.config.token)}
fast = {"poll_interval_seconds": 1}
PROGRAM = b"import sys\nprint('program', sys.argv[1])\nif sys.argv[1] == 'fail': sys.exit('no luck')\n"
# The writer asks the active Spark session where the cluster delivers its logs; this task has no Spark.
PIPES_PROGRAM = b"""from dagster_pipes import PipesDbfsContextLoader, PipesDbfsMessageWriter, open_dagster_pipes
class MessageWriter(PipesDbfsMessageWriter):
    def get_opened_extras(self):
        return {}
with open_dagster_pipes(context_loader=PipesDbfsContextLoader(), message_writer=MessageWriter()) as pipes:
    pipes.log.info("from the task")
    pipes.report_asset_materialization(metadata={"rows": pipes.get_extra("rows") + 1})
"""


def execute(op):
    @dagster.job(resource_defs=resources)
    def scenario():
        op()

    return scenario.execute_in_process(raise_on_error=False).success


def job_of(word):
    program = jobs.SparkPythonTask(python_file="dbfs:/dagster/program.py", parameters=[word])
    task = jobs.Task(task_key="main", existing_cluster_id="dagster", spark_python_task=program)
    return client.jobs.create(name=word, tasks=[task]).job_id


@step("the run-now op succeeds and fails with its run")
def _():
    client.dbfs.upload("/dagster/program.py", io.BytesIO(PROGRAM), overwrite=True)
    return [execute(create_databricks_run_now_op(job_of(word), **fast)) for word in ("hello", "fail")]


@step("the submit op succeeds and fails with its run")
def _():
    def submission(word):
        program = {"python_file": "dbfs:/dagster/program.py", "parameters": [word]}
        return {"existing_cluster_id": "dagster", "spark_python_task": program}

    return [execute(create_databricks_submit_run_op(submission(word), **fast)) for word in ("hello", "fail")]


@step("the client reads a file from dbfs")
def _():
    return resources["databricks"].get_client().read_file("/dagster/program.py") == PROGRAM


def run_pipes():
    client.dbfs.upload("/dagster/pipes.py", io.BytesIO(PIPES_PROGRAM), overwrite=True)

    @dagster.asset
    def rows(context: dagster.AssetExecutionContext, pipes: PipesDatabricksClient):
        package = compute.PythonPyPiLibrary(package=f"dagster-pipes=={dagster.__version__}")
        task = jobs.SubmitTask(
            task_key="rows",
            new_cluster=compute.ClusterSpec(spark_version="16.4.x-scala2.12", node_type_id="standard-2", num_workers=1),
            libraries=[compute.Library(pypi=package)],
            spark_python_task=jobs.SparkPythonTask(python_file="dbfs:/dagster/pipes.py"),
        )
        return pipes.run(task=task, context=context, extras={"rows": 41}).get_materialize_result()

    reader = PipesDbfsMessageReader(client=client, interval=1)
    pipes = PipesDatabricksClient(client=client, message_reader=reader, poll_interval_seconds=1)
    result = dagster.materialize([rows], resources={"pipes": pipes})
    [materialized] = result.asset_materializations_for_node("rows")
    return materialized.metadata["rows"].value


if os.environ["HAS_MOUNTS"] == "true":
    step("Pipes passes a context to a task and receives its report (needs bubblewrap)")(run_pipes)

run_steps()
