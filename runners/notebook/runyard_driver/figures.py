"""Shows matplotlib figures as images, at `plt.show()` and at the end of a cell."""

import importlib.abc
import importlib.util
import io
import sys

BACKEND = "module://runyard_driver.figures_backend"


def is_figure(value):
    return type(value).__name__ == "Figure" and type(value).__module__ == "matplotlib.figure"


def render_png(figure):
    """Returns a figure as a PNG."""
    out = io.BytesIO()
    figure.savefig(out, format="png", bbox_inches="tight")
    return out.getvalue()


class FigureDisplay:
    """Shows the open figures of pyplot. Imports matplotlib only after the notebook has done so."""

    def __init__(self, display):
        self.display = display
        sys.meta_path.insert(0, PyplotFinder())
        flush_hooks[:] = [self.flush]

    def flush(self):
        """Shows and closes every open figure, except those already displayed in the same state."""
        pyplot = sys.modules.get("matplotlib.pyplot")
        displayed, self.display.figures = self.display.figures, []
        if pyplot is None or not hasattr(pyplot, "get_fignums"):
            return
        for number in pyplot.get_fignums():
            figure = pyplot.figure(number)
            pyplot.close(figure)
            if figure.get_axes() or figure.texts or figure.images:
                image = render_png(figure)
                if image not in displayed:
                    self.display.image("image/png", image)


#: Callbacks of `plt.show()`: the backend calls them to show the open figures.
flush_hooks = []


class PyplotFinder(importlib.abc.MetaPathFinder):
    """Selects our backend when pyplot is imported. An environment variable would affect children too."""

    def find_spec(self, name, path, target=None):
        if name != "matplotlib.pyplot":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            return spec
        load = spec.loader.exec_module

        def exec_module(module):
            load(module)
            # No __pycache__ in the installation directory of the service.
            writes_bytecode, sys.dont_write_bytecode = sys.dont_write_bytecode, True
            try:
                module.switch_backend(BACKEND)
            finally:
                sys.dont_write_bytecode = writes_bytecode

        spec.loader.exec_module = exec_module
        return spec
