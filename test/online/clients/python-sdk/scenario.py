"""Uses the Python SDK as its users do. The steps of each module run in the order of the imports."""
import file_steps  # noqa: F401
import job_steps  # noqa: F401
import cluster_steps  # noqa: F401
import token_steps  # noqa: F401
import field_steps  # noqa: F401
from steps import run_steps

run_steps()
