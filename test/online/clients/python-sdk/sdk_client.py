"""The client of the Python SDK, and what all steps use."""
import datetime

from databricks.sdk import WorkspaceClient
from databricks.sdk.service import compute, jobs

client = WorkspaceClient()
short = datetime.timedelta(minutes=5)
admin = client.current_user.me().user_name

PROGRAM = b"""import os, sys, time
print("program", *sys.argv[1:], flush=True)
if sys.argv[1] == "wait": time.sleep(600)
if sys.argv[1] == "wish" and not os.path.exists(os.environ["RUNYARD_MANAGED_FS"] + "/wish"): sys.exit("no wish")
"""
NOTEBOOK = b"""# Databricks notebook source
who = dbutils.widgets.get("who")
print("greeting", who)
# COMMAND ----------
dbutils.notebook.exit("hello " + who)
"""
NEW_CLUSTER = compute.ClusterSpec(spark_version="16.4.x-scala2.12", node_type_id="standard-2", num_workers=1)


def python_task(key, word, **fields):
    return jobs.Task(
        task_key=key,
        existing_cluster_id="sdk",
        spark_python_task=jobs.SparkPythonTask(python_file="dbfs:/scenario/program.py", parameters=[word]),
        **fields,
    )


def result_of(run):
    return [run.state.life_cycle_state.value, run.state.result_state.value if run.state.result_state else None]
