"""Every field of the requests that the SDK knows has an entry in the tables of documented fields."""
import dataclasses
import inspect
import json
import os
import re

from databricks.sdk.service import compute, jobs
from steps import step

REQUESTS = {
    "create": "JobSettings",
    "update": "UpdateJob",
    "reset": "ResetJob",
    "submit": "SubmitSettings",
    "run_now": "RunNow",
    "repair_run": "RepairRun",
}


def classes_in(annotation):
    """Returns the data classes that an annotation names; those of clusters come before those of runs."""
    names = re.findall(r"\w+", annotation if isinstance(annotation, str) else str(annotation))
    found = [getattr(compute, name, getattr(jobs, name, None)) for name in names]
    return [one for one in found if inspect.isclass(one) and dataclasses.is_dataclass(one)]


@step("every field of jobs and runs is documented")
def _():
    documented = json.loads(os.environ["DOCUMENTED_FIELDS"])
    closed = set(documented["closed"])
    seen, unknown = set(), set()

    def visit(name, fields):
        for field, annotation in fields:
            key = f"{documented['tables'].get(name, name)}.{documented['names'].get(field, field)}"
            if key not in documented["fields"]:
                unknown.add(key)
            if key in closed:
                continue
            for one in classes_in(annotation):
                if one not in seen:
                    seen.add(one)
                    visit(one.__name__, [(f.name, f.type) for f in dataclasses.fields(one)])

    for method in REQUESTS:
        parameters = inspect.signature(getattr(jobs.JobsAPI, method)).parameters
        visit(REQUESTS[method], [(key, p.annotation) for key, p in parameters.items() if key != "self"])
    return sorted(unknown)
