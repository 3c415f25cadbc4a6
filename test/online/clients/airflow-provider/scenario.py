"""Runs a DAG of the Airflow provider's operators, and calls its hook."""
import base64
import json
import os
import pathlib
import tempfile
import urllib.parse

address = urllib.parse.urlsplit(os.environ["DATABRICKS_HOST"])
os.environ.update(
    AIRFLOW_HOME=tempfile.mkdtemp(),
    AIRFLOW__CORE__LOAD_EXAMPLES="False",
    AIRFLOW__CORE__DAGS_FOLDER=str(pathlib.Path(__file__).parent / "dags"),
    AIRFLOW__LOGGING__LOGGING_LEVEL="WARNING",
    # The hook drops a port that is part of the host; port and scheme have fields of their own.
    AIRFLOW_CONN_DATABRICKS_DEFAULT=json.dumps(
        {
            "conn_type": "databricks",
            "host": address.hostname,
            "port": address.port,
            "schema": address.scheme,
            "password": os.environ["DATABRICKS_TOKEN"],
        }
    ),
)

from airflow.providers.databricks.hooks.databricks import DatabricksHook  # noqa: E402
from airflow.utils.db import initdb  # noqa: E402
from steps import error_of, run_steps, step, until  # noqa: E402

from dags.scenario_dag import dag, python_task  # noqa: E402

hook = DatabricksHook()
NOTEBOOK = b"# Databricks notebook source\ndbutils.notebook.exit('hello ' + dbutils.widgets.get('who'))\n"
PROGRAM = b"""import os, sys, time
print("program", sys.argv[1], flush=True)
if sys.argv[1] == "wait": time.sleep(600)
if sys.argv[1] == "fail": sys.exit("no luck")
if sys.argv[1] == "second":
    mark = os.environ["RUNYARD_MANAGED_FS"] + "/seen"
    if not os.path.exists(mark):
        open(mark, "w").close()
        sys.exit("not the first time")
"""


def call(method, path, body):
    return hook._do_api_call((method, path), body)


def upload():
    call("POST", "2.0/dbfs/put", {"path": "/airflow/program.py", "contents": base64.b64encode(PROGRAM).decode()})
    call("POST", "2.0/workspace/mkdirs", {"path": "/airflow"})
    notebook = {"path": "/airflow/greet", "format": "SOURCE", "language": "PYTHON", "content": base64.b64encode(NOTEBOOK).decode()}
    call("POST", "2.0/workspace/import", notebook)


@step("the connection test passes")
def _():
    return hook.test_connection()[0]


@step("operators run to the state that their runs end in")
def _():
    upload()
    initdb()
    return {task.task_id: task.state for task in dag.test().get_task_instances()}


@step("a repaired run ends successfully")
def _():
    runs = call("GET", "2.1/jobs/runs/list", {"job_id": hook.find_job_id_by_name("second")})["runs"]
    return [run["state"]["result_state"] for run in runs]


@step("a second run of the DAG resets its jobs")
def _():
    states = {task.task_id: task.state for task in dag.test().get_task_instances()}
    return [states["create"], states["workflow.launch"], len(hook.list_jobs(job_name="scenario.workflow"))]


@step("the hook finds jobs by name and lists them page by page")
def _():
    names = {job["settings"]["name"] for job in hook.list_jobs(limit=2)}
    return [names >= {"airflow", "failing", "second", "scenario.workflow"}, hook.find_job_id_by_name("airflow") is not None]


@step("the hook reads states, tasks and outputs of a failed run")
def _():
    run_id = hook.run_now({"job_id": hook.find_job_id_by_name("failing")})
    state = until(lambda: (lambda one: one if one.is_terminal else None)(hook.get_run_state(run_id)))
    task = hook.get_run_tasks(run_id)[0]
    return [state.is_successful, state.result_state, hook.get_run_output(task["run_id"])["error"], hook.get_latest_repair_id(run_id)]


@step("the hook repairs a failed run")
def _():
    run_id = hook.run_now({"job_id": hook.find_job_id_by_name("failing")})
    until(lambda: hook.get_run_state(run_id).is_terminal)
    repair_id = hook.repair_run({"run_id": run_id, "rerun_all_failed_tasks": True})
    until(lambda: hook.get_run_state(run_id).is_terminal)
    return hook.get_latest_repair_id(run_id) == repair_id


@step("the hook cancels and deletes runs")
def _():
    job_id = hook.create_job({"name": "waits", "tasks": [python_task("wait")], "max_concurrent_runs": 2})
    first, second = hook.run_now({"job_id": job_id}), hook.run_now({"job_id": job_id})
    hook.cancel_run(first)
    hook.cancel_all_runs(job_id)
    ends = [until(lambda: (lambda one: one if one.is_terminal else None)(hook.get_run_state(run))) for run in (first, second)]
    hook.delete_run(first)
    return [[end.result_state for end in ends], "does not exist" in error_of(lambda: hook.get_run(first))]


@step("the hook updates, resets and shares a job")
def _():
    job_id = hook.find_job_id_by_name("waits")
    hook.update_job(job_id, {"name": "updated"})
    found = hook.find_job_id_by_name("updated") == job_id
    users = [{"group_name": "users", "permission_level": "CAN_VIEW"}]
    hook.reset_job(job_id, {"name": "reset", "tasks": [python_task("hello")], "access_control_list": users})
    changed = hook.update_job_permission(job_id, {"access_control_list": users})
    return [found, hook.find_job_id_by_name("reset") == job_id, changed["object_id"] == f"/jobs/{job_id}"]


@step("the hook starts, restarts and terminates a cluster, and installs libraries")
def _():
    def reach(state):
        return until(lambda: hook.get_cluster_state(cluster).state == state)

    settings = {"cluster_name": "airflow", "spark_version": "16.4.x-scala2.12", "node_type_id": "standard-2", "num_workers": 1}
    cluster = call("POST", "2.1/clusters/create", settings)["cluster_id"]
    states = [reach("RUNNING")]
    hook.restart_cluster({"cluster_id": cluster})
    states.append(reach("RUNNING"))
    hook.install({"cluster_id": cluster, "libraries": [{"jar": "dbfs:/airflow/program.py"}]})
    hook.uninstall({"cluster_id": cluster, "libraries": [{"jar": "dbfs:/airflow/program.py"}]})
    hook.terminate_cluster({"cluster_id": cluster})
    states.append(reach("TERMINATED"))
    hook.start_cluster({"cluster_id": cluster})
    return [*states, reach("RUNNING")]


@step("the hook lists pipelines")
def _():
    return hook.list_pipelines()


run_steps()
