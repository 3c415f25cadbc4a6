"""The utilities object of a notebook: its widgets, its exit call, and its task values."""
from runyard_driver.task_values import TaskValues

REQUIRED = object()


class NotebookExit(BaseException):
    """The exit call. Not an Exception, so that the notebook's own handlers let it pass."""


class Unavailable:
    """A family of utilities that the driver does not have: using it says so."""

    def __init__(self, path):
        self._path = path

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        raise NotImplementedError("%s.%s is not available yet in Runyard." % (self._path, name))


class Widgets:
    """Parameters of a notebook. A parameter given to the run wins over the default of the widget."""

    def __init__(self, parameters):
        self._parameters = parameters
        self._defaults = {}

    def text(self, name, defaultValue="", label=None):
        self._defaults[name] = "" if defaultValue is None else str(defaultValue)

    def combobox(self, name, defaultValue="", choices=(), label=None):
        self.text(name, defaultValue, label)

    def dropdown(self, name, defaultValue, choices, label=None):
        if defaultValue not in choices:
            raise ValueError('The default "%s" of widget "%s" is not one of its choices: %s.'
                             % (defaultValue, name, ", ".join(map(str, choices))))
        self.text(name, defaultValue, label)

    def multiselect(self, name, defaultValue, choices, label=None):
        self.dropdown(name, defaultValue, choices, label)

    def get(self, name):
        """The value of a widget or of a parameter of the run. Raises ValueError when there is neither."""
        values = self.getAll()
        if name not in values:
            raise ValueError('No widget and no parameter of the run is named "%s" (there is: %s). Give the run this '
                             'parameter, or declare it: dbutils.widgets.text("%s", "").'
                             % (name, ", ".join(sorted(values)) or "none", name))
        return values[name]

    def getArgument(self, name, defaultValue=REQUIRED):
        """Like `get`, with a value to fall back on."""
        if defaultValue is REQUIRED or name in self.getAll():
            return self.get(name)
        return str(defaultValue)

    def getAll(self):
        return {**self._defaults, **self._parameters}

    # Removing forgets the declaration alone: notebooks start with removeAll() and declare their widgets anew, and
    # the parameters of the run must still reach them.
    def remove(self, name):
        self.get(name)
        self._defaults.pop(name, None)

    def removeAll(self):
        self._defaults.clear()


class Notebook(Unavailable):
    """`dbutils.notebook`."""

    def __init__(self):
        super().__init__("dbutils.notebook")
        self.exit_value = None

    def exit(self, value):
        """Ends the notebook successfully. The run's result is the value as text."""
        self.exit_value = str(value)
        raise NotebookExit(self.exit_value)


class Jobs(Unavailable):
    """`dbutils.jobs`."""

    def __init__(self, values):
        super().__init__("dbutils.jobs")
        self.taskValues = TaskValues(values)


class Utilities:
    """`dbutils`."""

    def __init__(self, parameters, values):
        self.widgets = Widgets(parameters)
        self.jobs = Jobs(values)
        self.notebook = Notebook()

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Unavailable("dbutils.%s" % name)
