"""Uses the vendor's former command line, one process for each command."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from forward_proxy import start_forward_proxy
from steps import run_steps, step, until

command_line = os.path.join(os.path.dirname(sys.executable), "databricks")
# The command line drops the port from its address; a proxy is how its users reach another port.
environment = {
    **os.environ,
    "HTTP_PROXY": start_forward_proxy(os.environ["DATABRICKS_HOST"]),
    "DATABRICKS_HOST": "http://runyard.test",
}
local = pathlib.Path(tempfile.mkdtemp())
state = {}

PROGRAM = "import os, sys, time\nprint('program', *sys.argv[1:], flush=True)\nif sys.argv[1] == 'wait': time.sleep(600)\nif sys.argv[1] == 'fail': sys.exit('no luck')\n"
NOTEBOOK = "# Databricks notebook source\nwho = dbutils.widgets.get('who')\n# COMMAND ----------\ndbutils.notebook.exit('hello ' + who)\n"


def run(*arguments):
    ended = subprocess.run([command_line, *arguments], env=environment, capture_output=True, text=True)
    if ended.returncode != 0:
        raise RuntimeError((ended.stdout + ended.stderr).strip())
    return ended.stdout


def read(*arguments):
    return json.loads(run(*arguments))


def python_task(word):
    return {"existing_cluster_id": "legacy", "spark_python_task": {"python_file": "dbfs:/legacy/program.py", "parameters": [word]}}


def state_of(run_id):
    return read("runs", "get", "--run-id", str(run_id))["state"]


def ended(run_id):
    found = until(lambda: (lambda one: one if one.get("result_state") else None)(state_of(run_id)))
    return [found["life_cycle_state"], found["result_state"]]


@step("fs cp uploads and downloads files and directories")
def _():
    (local / "tree" / "deep").mkdir(parents=True)
    (local / "tree" / "a.txt").write_text("a")
    (local / "tree" / "deep" / "b.bin").write_bytes(bytes(range(256)) * 5_000)
    (local / "program.py").write_text(PROGRAM)
    run("fs", "mkdirs", "dbfs:/legacy")
    run("fs", "cp", str(local / "program.py"), "dbfs:/legacy/program.py")
    run("fs", "cp", "-r", str(local / "tree"), "dbfs:/legacy/tree")
    run("fs", "cp", "-r", "dbfs:/legacy/tree", str(local / "back"))
    return (local / "back" / "deep" / "b.bin").read_bytes() == (local / "tree" / "deep" / "b.bin").read_bytes()


@step("fs ls, cat, mv and rm")
def _():
    names = run("fs", "ls", "dbfs:/legacy").split()
    text = run("fs", "cat", "dbfs:/legacy/tree/a.txt").strip()
    run("fs", "mv", "dbfs:/legacy/tree", "dbfs:/legacy/moved")
    run("fs", "rm", "-r", "dbfs:/legacy/moved")
    return [sorted(names), text, run("fs", "ls", "dbfs:/legacy").split()]


@step("workspace import, export, ls and rm")
def _():
    (local / "greet.py").write_text(NOTEBOOK)
    run("workspace", "mkdirs", "/legacy")
    run("workspace", "import", "-l", "PYTHON", "-o", str(local / "greet.py"), "/legacy/greet")
    run("workspace", "export", "/legacy/greet", str(local / "source.py"))
    run("workspace", "export", "-f", "HTML", "/legacy/greet", str(local / "greet.html"))
    run("workspace", "export", "-f", "JUPYTER", "/legacy/greet", str(local / "greet.ipynb"))
    (local / "notebooks").mkdir()
    (local / "notebooks" / "one.py").write_text(NOTEBOOK)
    run("workspace", "import_dir", str(local / "notebooks"), "/legacy/notebooks")
    run("workspace", "export_dir", "/legacy/notebooks", str(local / "exported"))
    names = run("workspace", "ls", "/legacy").split()
    run("workspace", "rm", "-r", "/legacy/notebooks")
    return [
        (local / "source.py").read_text().startswith("# Databricks notebook source\nwho ="),
        "__DATABRICKS_NOTEBOOK_MODEL" in (local / "greet.html").read_text(),
        json.loads((local / "greet.ipynb").read_text())["nbformat"],
        os.listdir(local / "exported"),
        sorted(names),
        run("workspace", "ls", "/legacy").split(),
    ]


@step("jobs create, get and list in version 2.0")
def _():
    notebook = {"existing_cluster_id": "legacy", "notebook_task": {"notebook_path": "/legacy/greet", "base_parameters": {"who": "Ann"}}}
    job_id = read("jobs", "create", "--json", json.dumps({"name": "legacy", **notebook}))["job_id"]
    state["job_id"] = str(job_id)
    got = read("jobs", "get", "--job-id", state["job_id"])["settings"]
    listed = [job["job_id"] for job in read("jobs", "list", "--output", "JSON")["jobs"]]
    return [got["name"], got["format"], "notebook_task" in got, job_id in listed, "legacy" in run("jobs", "list")]


@step("jobs run-now, runs get and runs get-output")
def _():
    params = json.dumps({"who": "Bob"})
    run_id = read("jobs", "run-now", "--job-id", state["job_id"], "--notebook-params", params)["run_id"]
    end = ended(run_id)
    return [end, read("runs", "get-output", "--run-id", str(run_id))["notebook_output"]["result"]]


@step("jobs reset keeps the job in the single-task format")
def _():
    settings = {"name": "reset", **python_task("wait")}
    run("jobs", "reset", "--job-id", state["job_id"], "--json", json.dumps(settings))
    got = read("jobs", "get", "--job-id", state["job_id"])["settings"]
    return [got["name"], got["format"], "tasks" in got]


@step("runs list and runs cancel")
def _():
    run_id = read("jobs", "run-now", "--job-id", state["job_id"])["run_id"]
    until(lambda: state_of(run_id)["life_cycle_state"] == "RUNNING")
    active = read("runs", "list", "--active-only", "--job-id", state["job_id"], "--output", "JSON")["runs"]
    run("runs", "cancel", "--run-id", str(run_id))
    return [[one["run_id"] == run_id for one in active], ended(run_id), "CANCELED" in run("runs", "list", "--job-id", state["job_id"])]


@step("runs submit --wait reports success and failure")
def _():
    good = run("runs", "submit", "--wait", "--json", json.dumps({"run_name": "good", **python_task("hello")}))
    try:
        run("runs", "submit", "--wait", "--json", json.dumps({"run_name": "bad", **python_task("fail")}))
        bad = "no error"
    except RuntimeError as error:
        bad = str(error)
    return ["SUCCESS" in good or "run_id" in good, "FAILED" in bad]


@step("multi-task jobs in version 2.1")
def _():
    tasks = [{"task_key": "first", **python_task("one")}, {"task_key": "second", "depends_on": [{"task_key": "first"}], **python_task("two")}]
    job_id = str(read("jobs", "create", "--version", "2.1", "--json", json.dumps({"name": "graph", "tasks": tasks}))["job_id"])
    run_id = str(read("jobs", "run-now", "--version", "2.1", "--job-id", job_id)["run_id"])
    end = ended(run_id)
    got = read("runs", "get", "--version", "2.1", "--run-id", run_id)
    outputs = [read("runs", "get-output", "--version", "2.1", "--run-id", str(task["run_id"]))["logs"] for task in got["tasks"]]
    listed = run("jobs", "list", "--version", "2.1", "--all")
    run("jobs", "delete", "--job-id", job_id)
    return [end, outputs, "graph" in listed]


@step("jobs delete removes the job")
def _():
    run("jobs", "delete", "--job-id", state["job_id"])
    try:
        return run("jobs", "get", "--job-id", state["job_id"])
    except RuntimeError as error:
        return "does not exist" in str(error)


@step("clusters create, get, list, edit, resize, restart, delete and start")
def _():
    def reach(name):
        until(lambda: read("clusters", "get", "--cluster-id", cluster)["state"] == name)
        return name

    settings = {"cluster_name": "legacy", "spark_version": "16.4.x-scala2.12", "node_type_id": "standard-2", "num_workers": 1}
    cluster = read("clusters", "create", "--json", json.dumps(settings))["cluster_id"]
    state["cluster"] = cluster
    states = [reach("RUNNING")]
    run("clusters", "edit", "--json", json.dumps({**settings, "cluster_id": cluster, "cluster_name": "edited", "num_workers": 2}))
    states.append(reach("RUNNING"))
    run("clusters", "resize", "--cluster-id", cluster, "--num-workers", "1")
    states.append(reach("RUNNING"))
    run("clusters", "restart", "--cluster-id", cluster)
    states.append(reach("RUNNING"))
    run("clusters", "delete", "--cluster-id", cluster)
    states.append(reach("TERMINATED"))
    run("clusters", "start", "--cluster-id", cluster)
    states.append(reach("RUNNING"))
    listed = [one["cluster_name"] for one in read("clusters", "list", "--output", "JSON")["clusters"] if one["cluster_id"] == cluster]
    return [states, listed]


@step("clusters events, node types, runtime versions and zones")
def _():
    events = {event["type"] for event in read("clusters", "events", "--cluster-id", state["cluster"], "--output", "JSON")["events"]}
    types = [one["node_type_id"] for one in read("clusters", "list-node-types")["node_types"]]
    versions = [one["key"] for one in read("clusters", "spark-versions")["versions"]]
    zones = read("clusters", "list-zones")
    return [{"CREATING", "RUNNING"} <= events, len(types) > 0, len(versions) > 0, zones["default_zone"] in zones["zones"]]


@step("libraries install, list and uninstall")
def _():
    run("fs", "cp", str(local / "program.py"), "dbfs:/legacy/library.jar")
    run("libraries", "install", "--cluster-id", state["cluster"], "--jar", "dbfs:/legacy/library.jar")
    statuses = read("libraries", "cluster-status", "--cluster-id", state["cluster"])["library_statuses"]
    run("libraries", "uninstall", "--cluster-id", state["cluster"], "--jar", "dbfs:/legacy/library.jar")
    run("clusters", "permanent-delete", "--cluster-id", state["cluster"])
    return [one["library"] for one in statuses]


@step("instance pools and cluster policies")
def _():
    pool = read("instance-pools", "create", "--json", json.dumps({"instance_pool_name": "legacy", "node_type_id": "standard-2"}))["instance_pool_id"]
    pools = [one["instance_pool_name"] for one in read("instance-pools", "list", "--output", "JSON")["instance_pools"]]
    run("instance-pools", "delete", "--instance-pool-id", pool)
    definition = json.dumps({"num_workers": {"type": "fixed", "value": 1}})
    policy = read("cluster-policies", "create", "--json", json.dumps({"name": "legacy", "definition": definition}))["policy_id"]
    policies = [one["name"] for one in read("cluster-policies", "list", "--output", "JSON")["policies"]]
    run("cluster-policies", "delete", "--policy-id", policy)
    return ["legacy" in pools, "legacy" in policies]


@step("tokens create, list and revoke")
def _():
    created = read("tokens", "create", "--comment", "legacy", "--lifetime-seconds", "3600")
    token_id = created["token_info"]["token_id"]
    listed = [one["comment"] for one in read("tokens", "list")["token_infos"] if one["token_id"] == token_id]
    run("tokens", "revoke", "--token-id", token_id)
    return [listed, token_id in run("tokens", "list")]


run_steps()
