"""The operators of the provider, in one DAG. They poll every second instead of every 30."""
from airflow.providers.databricks.operators.databricks import (
    DatabricksCreateJobsOperator,
    DatabricksNotebookOperator,
    DatabricksRunNowOperator,
    DatabricksSubmitRunOperator,
    DatabricksTaskOperator,
)
from airflow.providers.databricks.operators.databricks_workflow import DatabricksWorkflowTaskGroup
from airflow.sdk import DAG

fast = {"polling_period_seconds": 1}
new_cluster = {"spark_version": "16.4.x-scala2.12", "node_type_id": "standard-2", "num_workers": 1}


def program(word):
    return {"spark_python_task": {"python_file": "dbfs:/airflow/program.py", "parameters": [word]}}


def python_task(word):
    return {"task_key": word, "existing_cluster_id": "airflow", **program(word)}


with DAG("scenario", schedule=None) as dag:
    create = DatabricksCreateJobsOperator(task_id="create", name="airflow", tasks=[python_task("hello")], max_concurrent_runs=5)
    failing = DatabricksCreateJobsOperator(task_id="create_failing", name="failing", tasks=[python_task("fail")])
    second = DatabricksCreateJobsOperator(task_id="create_second", name="second", tasks=[python_task("second")])
    create >> [
        DatabricksRunNowOperator(task_id="run_now", job_name="airflow", **fast),
        DatabricksRunNowOperator(task_id="run_now_deferred", job_name="airflow", deferrable=True, **fast),
    ]
    failing >> [
        DatabricksRunNowOperator(task_id="run_now_failing", job_name="failing", **fast),
        DatabricksRunNowOperator(task_id="run_now_failing_deferred", job_name="failing", deferrable=True, **fast),
    ]
    second >> DatabricksRunNowOperator(task_id="run_now_repaired", job_name="second", repair_run=True, **fast)
    notebook = {"notebook_path": "/airflow/greet", "base_parameters": {"who": "Ann"}}
    DatabricksSubmitRunOperator(task_id="submit_single", existing_cluster_id="airflow", notebook_task=notebook, **fast)
    DatabricksSubmitRunOperator(task_id="submit_tasks", tasks=[python_task("hello")], deferrable=True, **fast)
    DatabricksNotebookOperator(
        task_id="notebook",
        notebook_path="/airflow/greet",
        source="WORKSPACE",
        notebook_params={"who": "Bob"},
        existing_cluster_id="airflow",
        **fast,
    )
    DatabricksTaskOperator(
        task_id="task",
        new_cluster=new_cluster,
        task_config=program("task"),
        max_retries=1,
        **fast,
    )
    with DatabricksWorkflowTaskGroup(
        group_id="workflow",
        databricks_conn_id="databricks_default",
        job_clusters=[{"job_cluster_key": "shared", "new_cluster": new_cluster}],
        access_control_list=[{"group_name": "users", "permission_level": "CAN_VIEW"}],
    ):
        first = DatabricksNotebookOperator(
            task_id="first",
            notebook_path="/airflow/greet",
            source="WORKSPACE",
            notebook_params={"who": "Cid"},
            job_cluster_key="shared",
            **fast,
        )
        first >> DatabricksTaskOperator(
            task_id="then",
            job_cluster_key="shared",
            task_config=program("then"),
            **fast,
        )
