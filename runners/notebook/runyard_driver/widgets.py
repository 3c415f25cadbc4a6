"""`dbutils.widgets`: the parameters of a notebook."""

REQUIRED = object()
CHOICES_MAX = 1024


class Widgets:
    """Parameters of a notebook. A parameter of the run wins over the default of its widget."""

    def __init__(self, parameters, declared=None):
        self._parameters = dict(parameters)
        #: Name -> [kind, default, choices].
        self._declared = dict(declared or {})

    def text(self, name, defaultValue="", label=None):
        """Declares a widget for any text."""
        self._declare("text", name, defaultValue, None)

    def combobox(self, name, defaultValue="", choices=(), label=None):
        """Declares a widget with choices that also takes other texts."""
        self._declare("combobox", name, defaultValue, choices)

    def dropdown(self, name, defaultValue, choices, label=None):
        """Declares a widget for one of the choices."""
        self._declare("dropdown", name, defaultValue, choices)

    def multiselect(self, name, defaultValue, choices, label=None):
        """Declares a widget for several choices, separated by commas in the value."""
        self._declare("multiselect", name, defaultValue, choices)

    def _declare(self, kind, name, default, choices):
        if not isinstance(name, str) or not name:
            raise ValueError("The name of a widget is %r; it must be a non-empty string." % (name,))
        listed = None
        if choices is not None:
            if isinstance(choices, str) or not all(
                isinstance(choice, (str, int, float)) for choice in choices
            ):
                raise ValueError(
                    'The choices of widget "%s" are %r; they must be a list of strings.' % (name, choices)
                )
            listed = [str(choice) for choice in choices]
            if len(listed) > CHOICES_MAX:
                raise ValueError(
                    'Widget "%s" has %d choices; at most %d are allowed.' % (name, len(listed), CHOICES_MAX)
                )
        default = "" if default is None else str(default)
        check_choice(kind, name, "The default", default, listed)
        if name in self._parameters:
            check_choice(kind, name, "The value", self._parameters[name], listed)
        self._declared[name] = [kind, default, listed]

    def replace_parameters(self, added, parameters=None):
        """Adds parameters, or restores `parameters`; returns the previous ones."""
        before = self._parameters
        self._parameters = {**before, **added} if parameters is None else parameters
        return before

    def declared(self):
        """Returns the declared widgets as plain data."""
        return dict(self._declared)

    def get(self, name):
        """Returns the value of a widget or a run parameter. Raises ValueError if neither exists."""
        values = self.getAll()
        if name not in values:
            raise ValueError(
                'No widget or run parameter is named "%s"; %s. Pass the parameter to the run, or '
                'declare it: dbutils.widgets.text("%s", "").'
                % (name, "available are " + ", ".join(sorted(values)) if values else "none exist", name)
            )
        return values[name]

    def getArgument(self, name, defaultValue=REQUIRED):
        """Returns the value like `get`, or the default."""
        if defaultValue is REQUIRED or name in self.getAll():
            return self.get(name)
        return str(defaultValue)

    def getAll(self):
        return {
            **{name: default for name, (_, default, _choices) in self._declared.items()},
            **self._parameters,
        }

    # Removing a widget keeps the run parameter: notebooks often begin with removeAll().
    def remove(self, name):
        self.get(name)
        self._declared.pop(name, None)

    def removeAll(self):
        self._declared.clear()


def check_choice(kind, name, what, value, choices):
    """Raises ValueError for a value that is not one of the choices."""
    if kind not in ("dropdown", "multiselect"):
        return
    values = [value] if kind == "dropdown" else [part for part in value.split(",") if part]
    # Choices of a multiselect may contain commas.
    if value in choices or (kind == "multiselect" and all(part in choices for part in values)):
        return
    raise ValueError(
        '%s "%s" of widget "%s" is not one of its choices: %s.' % (what, value, name, ", ".join(choices))
    )
