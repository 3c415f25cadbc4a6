"""`dbutils.notebook`: ends this notebook, and runs other notebooks as child runs."""

from .engine_client import EngineClient
from .cell_errors import NotebookExit
from .workspace_paths import resolve_path


class WorkflowError(RuntimeError):
    """The run of another notebook did not succeed."""


class NotebookUtility:
    """`path`: workspace path of this notebook; `questions`: directory of the EngineClient."""

    def __init__(self, path, questions):
        self._path = path
        self._engine = EngineClient(questions)
        self.exit_value = None

    def exit(self, value):
        """Ends the notebook successfully with the value as its result."""
        self.exit_value = str(value)
        raise NotebookExit(self.exit_value)

    def run(self, path, timeout_seconds=0, arguments=None, timeoutSeconds=None):
        """Runs another notebook as a child run and returns its exit value, or "" without one.

        path: absolute, or relative to the folder of this notebook. timeout_seconds: 0 for no limit.
        arguments: parameters of the notebook. Raises WorkflowError if the run does not succeed.
        """
        timeout = timeout_seconds if timeoutSeconds is None else timeoutSeconds
        if isinstance(timeout, bool) or not isinstance(timeout, int) or timeout < 0:
            raise ValueError(
                "timeout_seconds is %r; it must be an integer of at least 0, where 0 means no limit."
                % (timeout,)
            )
        target = resolve_path(path, self._path)
        given = {str(name): str(value) for name, value in dict(arguments or {}).items()}
        answer = self._engine.request(
            {"kind": "notebook", "path": target, "timeoutSeconds": timeout, "arguments": given}
        )
        if answer.get("result") == "SUCCESS":
            return answer.get("value", "")
        raise WorkflowError(answer.get("message") or "The notebook %s could not be run." % target)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        raise NotImplementedError(
            "dbutils.notebook.%s is not available in Runyard; available are exit and run." % name
        )
