"""Jobs and runs, with the waiters of the SDK."""
import io

from databricks.sdk.service import iam, jobs
from sdk_client import NEW_CLUSTER, admin, client, python_task, result_of, short
from steps import error_of, step, until

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
