"""Uses the Python SDK as its users do: jobs and runs with its waiters, files, clusters, tokens, permissions."""
import base64
import datetime
import io

from databricks.sdk import WorkspaceClient
from databricks.sdk.service import compute, iam, jobs, workspace
from steps import error_of, run_steps, step, until

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


# Files


@step("dbfs.upload and dbfs.download carry more than one block")
def _():
    data = bytes(range(256)) * 10_000
    client.dbfs.mkdirs("/scenario")
    client.dbfs.upload("/scenario/blocks.bin", io.BytesIO(data))
    with client.dbfs.download("/scenario/blocks.bin") as stream:
        return stream.read() == data


@step("dbfs.upload refuses an existing path without overwrite")
def _():
    return error_of(lambda: client.dbfs.upload("/scenario/blocks.bin", io.BytesIO(b"again"))).split(":")[0]


@step("dbfs.open writes and reads")
def _():
    with client.dbfs.open("/scenario/program.py", write=True) as file:
        file.write(PROGRAM)
    with client.dbfs.open("/scenario/program.py", read=True) as file:
        return file.read() == PROGRAM


@step("dbfs lists, moves and deletes")
def _():
    client.dbfs.put("/scenario/old", contents=base64.b64encode(b"abc").decode())
    client.dbfs.move("/scenario/old", "/scenario/new")
    size = client.dbfs.get_status("/scenario/new").file_size
    client.dbfs.delete("/scenario/new")
    return [size, sorted(file.path for file in client.dbfs.list("/scenario")), client.dbfs.exists("/scenario/new")]


@step("dbutils.fs puts, reads, copies, lists and removes")
def _():
    fs = client.dbutils.fs
    fs.mkdirs("/scenario/fs")
    fs.put("/scenario/fs/a.txt", "text", overwrite=True)
    fs.cp("/scenario/fs/a.txt", "/scenario/fs/b.txt")
    names = [file.name for file in fs.ls("/scenario/fs")]
    head = fs.head("/scenario/fs/b.txt")
    fs.rm("/scenario/fs", recurse=True)
    return [sorted(names), head, client.dbfs.exists("/scenario/fs")]


@step("workspace.upload imports a notebook, and download returns its source")
def _():
    client.workspace.mkdirs("/scenario")
    client.workspace.upload(
        "/scenario/greet",
        io.BytesIO(NOTEBOOK),
        format=workspace.ImportFormat.SOURCE,
        language=workspace.Language.PYTHON,
        overwrite=True,
    )
    with client.workspace.download("/scenario/greet") as stream:
        text = stream.read()
    return [client.workspace.get_status("/scenario/greet").object_type.value, text.splitlines()[:2] == NOTEBOOK.splitlines()[:2]]


@step("workspace.upload in format AUTO keeps a file as it is")
def _():
    client.workspace.upload("/scenario/data.csv", io.BytesIO(b"a,b\n1,2\n"), format=workspace.ImportFormat.AUTO)
    with client.workspace.download("/scenario/data.csv") as stream:
        return [stream.read().decode(), client.workspace.get_status("/scenario/data.csv").object_type.value]


@step("workspace.export answers HTML and Jupyter")
def _():
    def content(form):
        return base64.b64decode(client.workspace.export("/scenario/greet", format=form).content).decode()

    html = content(workspace.ExportFormat.HTML)
    notebook = content(workspace.ExportFormat.JUPYTER)
    return ["__DATABRICKS_NOTEBOOK_MODEL" in html, '"nbformat"' in notebook and "dbutils.widgets.get" in notebook]


@step("workspace.list walks directories")
def _():
    client.workspace.mkdirs("/scenario/deep/deeper")
    paths = sorted(item.path for item in client.workspace.list("/scenario", recursive=True))
    client.workspace.delete("/scenario/deep", recursive=True)
    return paths


# Jobs and runs

state = {}


@step("jobs.create and jobs.get return the settings")
def _():
    created = client.jobs.create(
        name="scenario",
        max_concurrent_runs=3,
        tags={"team": "data"},
        parameters=[jobs.JobParameterDefinition(name="city", default="Oslo")],
        tasks=[
            jobs.Task(
                task_key="greet",
                existing_cluster_id="sdk",
                notebook_task=jobs.NotebookTask(notebook_path="/scenario/greet", base_parameters={"who": "Ann"}),
            ),
            python_task("print", "hello", depends_on=[jobs.TaskDependency(task_key="greet")]),
        ],
    )
    state["job_id"] = created.job_id
    settings = client.jobs.get(created.job_id).settings
    return [settings.name, settings.max_concurrent_runs, settings.tags, [task.task_key for task in settings.tasks]]


@step("jobs.list finds a job by name")
def _():
    found = list(client.jobs.list(name="scenario", expand_tasks=True))
    return [job.job_id == state["job_id"] for job in found]


@step("jobs.run_now waits for a successful run")
def _():
    run = client.jobs.run_now(state["job_id"]).result(timeout=short)
    state["run"] = run
    return result_of(run)


@step("jobs.get_run_output returns the exit value and the logs")
def _():
    ids = {task.task_key: task.run_id for task in state["run"].tasks}
    greet, printed = client.jobs.get_run_output(ids["greet"]), client.jobs.get_run_output(ids["print"])
    return [greet.notebook_output.result, printed.logs]


@step("jobs.export_run returns the notebook as HTML")
def _():
    ids = {task.task_key: task.run_id for task in state["run"].tasks}
    return [[view.type.value, "hello Ann" in view.content] for view in client.jobs.export_run(ids["greet"]).views]


@step("jobs.list_runs lists the runs of a job")
def _():
    runs = list(client.jobs.list_runs(job_id=state["job_id"], completed_only=True, expand_tasks=True))
    return [[run.run_id == state["run"].run_id, len(run.tasks)] for run in runs]


@step("jobs.update and jobs.reset change the settings")
def _():
    client.jobs.update(state["job_id"], new_settings=jobs.JobSettings(name="renamed"), fields_to_remove=["tags"])
    updated = client.jobs.get(state["job_id"]).settings
    client.jobs.reset(state["job_id"], jobs.JobSettings(name="reset", tasks=[python_task("wish", "wish")]))
    reset = client.jobs.get(state["job_id"]).settings
    return [updated.name, updated.tags, len(updated.tasks), reset.name, [task.task_key for task in reset.tasks]]


@step("the waiter of jobs.run_now raises for a failed run")
def _():
    wait = client.jobs.run_now(state["job_id"])
    state["failed"] = wait.run_id
    return error_of(lambda: wait.result(timeout=short)).split(",")[0]


@step("a failed run explains itself")
def _():
    run = client.jobs.get_run(state["failed"])
    output = client.jobs.get_run_output(run.tasks[0].run_id)
    return [result_of(run), result_of(run.tasks[0]), output.error]


@step("jobs.repair_run waits for a successful repair")
def _():
    client.dbfs.put("/wish", contents="", overwrite=True)
    run = client.jobs.repair_run(state["failed"], rerun_all_failed_tasks=True).result(timeout=short)
    history = client.jobs.get_run(state["failed"], include_history=True).repair_history
    return [result_of(run), [entry.type.value for entry in history]]


@step("jobs.cancel_run waits for the end of an active run")
def _():
    job = client.jobs.create(name="waits", tasks=[python_task("wait", "wait")])
    run_id = client.jobs.run_now(job.job_id).run_id
    until(lambda: client.jobs.get_run(run_id).state.life_cycle_state == jobs.RunLifeCycleState.RUNNING)
    ended = result_of(client.jobs.cancel_run(run_id).result(timeout=short))
    client.jobs.delete_run(run_id)
    client.jobs.delete(job.job_id)
    return [ended, error_of(lambda: client.jobs.get_run(run_id)).split(":")[0]]


@step("jobs.cancel_all_runs ends the runs of a job")
def _():
    job = client.jobs.create(name="many", max_concurrent_runs=2, tasks=[python_task("wait", "wait")])
    waits = [client.jobs.run_now(job.job_id) for _ in range(2)]
    client.jobs.cancel_all_runs(job_id=job.job_id)
    return [result_of(wait.result(timeout=short))[1] for wait in waits]


@step("jobs.submit_and_wait runs a task once")
def _():
    run = client.jobs.submit_and_wait(
        run_name="once",
        tasks=[
            jobs.SubmitTask(
                task_key="once",
                new_cluster=NEW_CLUSTER,
                spark_python_task=jobs.SparkPythonTask(
                    python_file="dbfs:/scenario/program.py", parameters=["submitted"]
                ),
            )
        ],
        timeout=short,
    )
    return [result_of(run), client.jobs.get_run_output(run.tasks[0].run_id).logs]


@step("a task takes /dbfs paths for its file and its arguments")
def _():
    program = b"import sys\nopen(sys.argv[2], 'w').write(open(sys.argv[1]).read().upper())\n"
    client.dbfs.upload("/scenario/in.txt", io.BytesIO(b"text"), overwrite=True)
    client.dbfs.upload("/scenario/paths.py", io.BytesIO(program), overwrite=True)
    task = jobs.SubmitTask(
        task_key="paths",
        new_cluster=NEW_CLUSTER,
        spark_python_task=jobs.SparkPythonTask(
            python_file="/dbfs/scenario/paths.py", parameters=["/dbfs/scenario/in.txt", "/dbfs/scenario/out.txt"]
        ),
    )
    run = client.jobs.submit_and_wait(run_name="paths", tasks=[task], timeout=short)
    with client.dbfs.download("/scenario/out.txt") as stream:
        return [result_of(run), stream.read().decode()]


@step("job permissions are set, updated and read")
def _():
    def levels(permissions):
        return {
            entry.user_name or entry.group_name: [one.permission_level.value for one in entry.all_permissions]
            for entry in permissions.access_control_list
        }

    job_id = str(state["job_id"])
    request = jobs.JobAccessControlRequest
    set_ = client.jobs.set_permissions(
        job_id, access_control_list=[request(group_name="users", permission_level=jobs.JobPermissionLevel.CAN_VIEW)]
    )
    updated = client.permissions.update(
        "jobs",
        job_id,
        access_control_list=[
            iam.AccessControlRequest(group_name="users", permission_level=iam.PermissionLevel.CAN_MANAGE_RUN)
        ],
    )
    names = [level.permission_level.value for level in client.jobs.get_permission_levels(job_id).permission_levels]
    return [levels(set_)["users"], levels(updated)["users"], levels(updated)[admin], sorted(names)]


@step("jobs.delete removes the job")
def _():
    client.jobs.delete(state["job_id"])
    return error_of(lambda: client.jobs.get(state["job_id"])).replace(str(state["job_id"]), "N")


# Clusters


@step("clusters.select_node_type and select_spark_version choose known ones")
def _():
    types = {node.node_type_id for node in client.clusters.list_node_types().node_types}
    chosen = [
        client.clusters.select_node_type(local_disk=True),
        client.clusters.select_node_type(min_cores=2, min_memory_gb=4),
        client.clusters.select_node_type(local_disk=True, local_disk_min_size=10),
    ]
    versions = {version.key for version in client.clusters.spark_versions().versions}
    selected = [
        client.clusters.select_spark_version(long_term_support=True),
        client.clusters.select_spark_version(latest=True),
    ]
    return [set(chosen) <= types, set(selected) <= versions]


@step("clusters are created, edited, resized, restarted, stopped and started")
def _():
    cluster = client.clusters.create_and_wait(
        cluster_name="scenario",
        spark_version=client.clusters.select_spark_version(latest=True),
        node_type_id=client.clusters.select_node_type(local_disk=True),
        num_workers=1,
        autotermination_minutes=60,
        timeout=short,
    )
    state["cluster"] = cluster
    states = [cluster.state.value]
    edited = client.clusters.edit_and_wait(
        cluster.cluster_id,
        cluster.spark_version,
        cluster_name="edited",
        node_type_id=cluster.node_type_id,
        num_workers=2,
        timeout=short,
    )
    states += [edited.state.value, edited.cluster_name, edited.num_workers]
    states.append(client.clusters.resize_and_wait(cluster.cluster_id, num_workers=1, timeout=short).num_workers)
    states.append(client.clusters.restart_and_wait(cluster.cluster_id, timeout=short).state.value)
    states.append(client.clusters.delete_and_wait(cluster.cluster_id, timeout=short).state.value)
    client.clusters.ensure_cluster_is_running(cluster.cluster_id)
    states.append(client.clusters.get(cluster.cluster_id).state.value)
    return states


@step("clusters.list filters by state, and clusters can be pinned")
def _():
    cluster_id = state["cluster"].cluster_id

    def listed(**filters):
        found = client.clusters.list(filter_by=compute.ListClustersFilterBy(**filters))
        return [cluster.cluster_id == cluster_id for cluster in found if cluster.cluster_name == "edited"]

    client.clusters.pin(cluster_id)
    pinned = listed(is_pinned=True)
    client.clusters.unpin(cluster_id)
    return [
        pinned,
        listed(is_pinned=True),
        listed(cluster_states=[compute.State.RUNNING]),
        listed(cluster_states=[compute.State.TERMINATED]),
    ]


@step("clusters.events lists the events of a cluster")
def _():
    cluster_id = state["cluster"].cluster_id
    types = {event.type.value for event in client.clusters.events(cluster_id)}
    started = client.clusters.events(cluster_id, event_types=[compute.EventType.STARTING])
    return [{"CREATING", "STARTING", "RUNNING"} <= types, {event.type.value for event in started} == {"STARTING"}]


@step("clusters have zones and permissions")
def _():
    cluster_id = state["cluster"].cluster_id
    levels = client.clusters.get_permission_levels(cluster_id).permission_levels
    changed = client.clusters.set_permissions(
        cluster_id,
        access_control_list=[
            compute.ClusterAccessControlRequest(
                group_name="users", permission_level=compute.ClusterPermissionLevel.CAN_ATTACH_TO
            )
        ],
    )
    users = next(entry for entry in changed.access_control_list if entry.group_name == "users")
    zones = client.clusters.list_zones()
    return [
        sorted(level.permission_level.value for level in levels),
        [one.permission_level.value for one in users.all_permissions],
        zones.default_zone in zones.zones,
    ]


@step("clusters.permanent_delete removes a cluster")
def _():
    cluster_id = state["cluster"].cluster_id
    client.clusters.permanent_delete(cluster_id)
    return error_of(lambda: client.clusters.get(cluster_id)).replace(cluster_id, "ID")


@step("instance pools and cluster policies are created, edited, listed and deleted")
def _():
    pool = client.instance_pools.create("scenario", "standard-2")
    client.instance_pools.edit(pool.instance_pool_id, "renamed", "standard-2")
    pools = [one.instance_pool_name for one in client.instance_pools.list()]
    client.instance_pools.delete(pool.instance_pool_id)
    policy = client.cluster_policies.create(name="scenario", definition='{"num_workers":{"type":"fixed","value":1}}')
    client.cluster_policies.edit(policy.policy_id, name="renamed", definition='{"num_workers":{"type":"fixed","value":2}}')
    policies = [one.name for one in client.cluster_policies.list()]
    client.cluster_policies.delete(policy.policy_id)
    return ["renamed" in pools, "renamed" in policies, len(list(client.cluster_policies.list()))]


# Tokens


@step("tokens are created, listed and revoked")
def _():
    created = client.tokens.create(comment="scenario", lifetime_seconds=3600)
    other = WorkspaceClient(host=client.config.host, token=created.token_value)
    who = other.current_user.me().user_name == admin
    listed = [token.comment for token in client.tokens.list() if token.token_id == created.token_info.token_id]
    client.tokens.delete(created.token_info.token_id)
    return [who, listed, error_of(other.current_user.me).split(":")[0]]


@step("token management creates, lists and revokes tokens of service principals")
def _():
    principal = client.service_principals.create(display_name="scenario", active=True)
    created = client.token_management.create_obo_token(principal.application_id, comment="obo", lifetime_seconds=600)
    listed = [token.comment for token in client.token_management.list() if token.token_id == created.token_info.token_id]
    read = client.token_management.get(created.token_info.token_id).token_info.owner_id is not None
    client.token_management.delete(created.token_info.token_id)
    client.service_principals.delete(principal.id)
    return [listed, read]


@step("token permissions are read and replaced")
def _():
    levels = client.permissions.get_permission_levels("authorization", "tokens").permission_levels
    changed = client.permissions.set(
        "authorization",
        "tokens",
        access_control_list=[
            iam.AccessControlRequest(group_name="users", permission_level=iam.PermissionLevel.CAN_USE)
        ],
    )
    groups = [entry.group_name for entry in changed.access_control_list]
    return [sorted(level.permission_level.value for level in levels), "users" in groups]


run_steps()
