"""Runs the flow of prefect-databricks that submits and waits, and its tasks for jobs and runs. They need TLS."""
import asyncio
import base64
import os
import tempfile
import time
import urllib.parse

os.environ.update(
    PREFECT_HOME=tempfile.mkdtemp(),
    PREFECT_LOGGING_LEVEL="ERROR",
    PREFECT_SERVER_ANALYTICS_ENABLED="false",
    PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS="300",
)

import httpx  # noqa: E402
from prefect_databricks import DatabricksCredentials  # noqa: E402
from prefect_databricks import jobs  # noqa: E402
from prefect_databricks.flows import jobs_runs_submit_and_wait_for_completion  # noqa: E402
from prefect_databricks.models.jobs import NotebookTask, RunSubmitTaskSettings, SparkPythonTask  # noqa: E402
from steps import error_of, run_steps, step  # noqa: E402

address = urllib.parse.urlsplit(os.environ["DATABRICKS_HOST"])
token = os.environ["DATABRICKS_TOKEN"]
credentials = DatabricksCredentials(databricks_instance=address.netloc, token=token)
http = httpx.Client(base_url=f"{address.geturl()}/api/", headers={"authorization": f"Bearer {token}"})
NOTEBOOK = b"# Databricks notebook source\ndbutils.notebook.exit('hello ' + dbutils.widgets.get('who'))\n"
PROGRAM = b"import sys, time\nprint('program', sys.argv[1], flush=True)\nif sys.argv[1] == 'wait': time.sleep(600)\nif sys.argv[1] == 'fail': sys.exit('no luck')\n"
state = {}


def run(task, **arguments):
    return asyncio.run(task.fn(databricks_credentials=credentials, **arguments))


def python_task(word):
    return {
        "task_key": word,
        "existing_cluster_id": "prefect",
        "spark_python_task": {"python_file": "dbfs:/prefect/program.py", "parameters": [word]},
    }


def submit(*tasks):
    flow = jobs_runs_submit_and_wait_for_completion(credentials, tasks=list(tasks), run_name="prefect", poll_frequency_seconds=1)
    return asyncio.run(flow)


def wait_for(run_id):
    for _ in range(120):
        found = run(jobs.jobs_runs_get, run_id=run_id)
        if found["state"]["life_cycle_state"] in ("TERMINATED", "SKIPPED", "INTERNAL_ERROR"):
            return found
        time.sleep(0.5)
    raise TimeoutError(run_id)


@step("the flow submits a notebook, waits and returns its output")
def _():
    http.post("2.0/dbfs/put", json={"path": "/prefect/program.py", "contents": base64.b64encode(PROGRAM).decode()}).raise_for_status()
    http.post("2.0/workspace/mkdirs", json={"path": "/prefect"}).raise_for_status()
    notebook = {"path": "/prefect/greet", "format": "SOURCE", "language": "PYTHON", "content": base64.b64encode(NOTEBOOK).decode()}
    http.post("2.0/workspace/import", json=notebook).raise_for_status()
    task = NotebookTask(notebook_path="/prefect/greet", base_parameters={"who": "Ann"})
    return submit(RunSubmitTaskSettings(task_key="greet", existing_cluster_id="prefect", notebook_task=task))


@step("the flow raises for a failed run")
def _():
    task = SparkPythonTask(python_file="dbfs:/prefect/program.py", parameters=["fail"])
    failing = RunSubmitTaskSettings(task_key="fail", existing_cluster_id="prefect", spark_python_task=task)
    return error_of(lambda: submit(failing)).split(":")[0]


@step("tasks create, update, reset, list and get jobs")
def _():
    job_id = run(jobs.jobs_create, name="prefect", tasks=[python_task("hello")])["job_id"]
    state["job_id"] = job_id
    run(jobs.jobs_update, job_id=job_id, new_settings={"name": "updated"})
    updated = run(jobs.jobs_get, job_id=job_id)["settings"]["name"]
    run(jobs.jobs_reset, job_id=job_id, new_settings={"name": "reset", "tasks": [python_task("fail")]})
    listed = [job["settings"]["name"] for job in run(jobs.jobs_list, limit=20)["jobs"]]
    return [updated, "reset" in listed]


@step("tasks run a job, read its output, and repair it")
def _():
    run_id = run(jobs.jobs_run_now, job_id=state["job_id"])["run_id"]
    failed = wait_for(run_id)
    output = run(jobs.jobs_runs_get_output, run_id=failed["tasks"][0]["run_id"])
    run(jobs.jobs_runs_repair, run_id=run_id, rerun_tasks=["fail"])
    repaired = wait_for(run_id)
    listed = run(jobs.jobs_runs_list, job_id=state["job_id"])["runs"]
    return [failed["state"]["result_state"], output["error"], repaired["state"]["result_state"], len(listed)]


@step("tasks cancel and delete runs and jobs")
def _():
    job_id = run(jobs.jobs_create, name="waits", tasks=[python_task("wait")])["job_id"]
    run_id = run(jobs.jobs_run_now, job_id=job_id)["run_id"]
    run(jobs.jobs_runs_cancel, run_id=run_id)
    canceled = wait_for(run_id)["state"]["result_state"]
    run(jobs.jobs_runs_cancel_all, job_id=job_id)
    run(jobs.jobs_runs_delete, run_id=run_id)
    run(jobs.jobs_delete, job_id=job_id)
    return [canceled, "does not exist" in error_of(lambda: run(jobs.jobs_get, job_id=job_id))]


run_steps()
