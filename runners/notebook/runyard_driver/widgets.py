"""`dbutils.widgets`: the parameters of a notebook."""

REQUIRED = object()
CHOICES_MAX = 1024


class Widgets:
    """Parameters of a notebook. A parameter given to the run wins over the default of the widget."""

    def __init__(self, parameters, declared=None):
        self._parameters = dict(parameters)
        #: Name -> [kind, default, choices].
        self._declared = dict(declared or {})

    def text(self, name, defaultValue="", label=None):
        """A field for any text."""
        self._declare("text", name, defaultValue, None)

    def combobox(self, name, defaultValue="", choices=(), label=None):
        """Choices that other texts may stand for as well."""
        self._declare("combobox", name, defaultValue, choices)

    def dropdown(self, name, defaultValue, choices, label=None):
        """One of the choices."""
        self._declare("dropdown", name, defaultValue, choices)

    def multiselect(self, name, defaultValue, choices, label=None):
        """Some of the choices; the value has commas between them."""
        self._declare("multiselect", name, defaultValue, choices)

    def _declare(self, kind, name, default, choices):
        if not isinstance(name, str) or not name:
            raise ValueError("The name of a widget is a text that is not empty, not %r." % (name,))
        listed = None
        if choices is not None:
            if isinstance(choices, str) or not all(isinstance(choice, (str, int, float)) for choice in choices):
                raise ValueError('The choices of widget "%s" are a list of texts, not %r.' % (name, choices))
            listed = [str(choice) for choice in choices]
            if len(listed) > CHOICES_MAX:
                raise ValueError('Widget "%s" has %d choices; at most %d are allowed.' % (name, len(listed), CHOICES_MAX))
        default = "" if default is None else str(default)
        check_choice(kind, name, "The default", default, listed)
        if name in self._parameters:
            check_choice(kind, name, "The value", self._parameters[name], listed)
        self._declared[name] = [kind, default, listed]

    def replace_parameters(self, more, parameters=None):
        """Adds parameters for a while, or puts back what was there before; returns what was."""
        before = self._parameters
        self._parameters = {**before, **more} if parameters is None else parameters
        return before

    def declared(self):
        """What was declared so far, as plain data."""
        return dict(self._declared)

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
        return {**{name: default for name, (_, default, _choices) in self._declared.items()}, **self._parameters}

    # Removing forgets the declaration alone: notebooks start with removeAll() and declare their widgets anew, and
    # the parameters of the run must still reach them.
    def remove(self, name):
        self.get(name)
        self._declared.pop(name, None)

    def removeAll(self):
        self._declared.clear()


def check_choice(kind, name, what, value, choices):
    """Raises ValueError for a value that the widget does not offer."""
    if kind not in ("dropdown", "multiselect"):
        return
    values = [value] if kind == "dropdown" else [part for part in value.split(",") if part]
    # Choices of a multiselect may hold commas themselves.
    if value in choices or (kind == "multiselect" and all(part in choices for part in values)):
        return
    raise ValueError('%s "%s" of widget "%s" is not one of its choices: %s.' % (what, value, name, ", ".join(choices)))
