"""`dbutils`, the utilities of a notebook."""

from .cell_errors import PythonRestart
from .file_system import FileSystem
from .task_values import TaskValues
from .widgets import Widgets
from .workflow import NotebookUtility


class UnavailableUtility:
    """A family of utilities that Runyard does not provide, or only in part. Other uses raise."""

    def __init__(self, path, remedy=""):
        self._path = path
        self._remedy = remedy

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        raise NotImplementedError("%s.%s is not available in Runyard.%s" % (self._path, name, self._remedy))

    def __call__(self, *_values, **_options):
        raise NotImplementedError("%s is not available in Runyard.%s" % (self._path, self._remedy))


class Jobs(UnavailableUtility):
    """`dbutils.jobs`."""

    def __init__(self, values):
        super().__init__("dbutils.jobs")
        self.taskValues = TaskValues(values)


class Library(UnavailableUtility):
    """`dbutils.library`."""

    def __init__(self):
        super().__init__("dbutils.library", " Use %pip install, or libraries of the task.")
        self.restart = False

    def restartPython(self):
        """Runs the next cells in a new Python process. Widgets, task values and packages are kept."""
        self.restart = True
        raise PythonRestart()


class Dbutils:
    """`dbutils`. `task`: content of the task file; `widgets`: widgets declared before a restart of Python."""

    def __init__(self, task, widgets=None):
        self.widgets = Widgets(task["parameters"], widgets)
        self.jobs = Jobs(task["values"])
        self.notebook = NotebookUtility(task["path"], task["questions"])
        self.library = Library()
        self.fs = FileSystem(task["managedFs"])
        self.secrets = UnavailableUtility(
            "dbutils.secrets",
            " Put the value into an environment variable of the cluster (spark_env_vars) whose name ends "
            "with _SECRET or _TOKEN, and read it with os.environ.",
        )

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return UnavailableUtility("dbutils.%s" % name)
