"""FigureDisplay of matplotlib, where it is installed: `plt.show()` and the end of a cell show them as pictures."""
import importlib.abc
import importlib.util
import io
import sys

BACKEND = "module://runyard_driver.figures_backend"


def is_figure(value):
    return type(value).__name__ == "Figure" and type(value).__module__ == "matplotlib.figure"


def render_png(figure):
    """A figure as the bytes of a PNG."""
    out = io.BytesIO()
    figure.savefig(out, format="png", bbox_inches="tight")
    return out.getvalue()


class FigureDisplay:
    """Shows the open figures of pyplot. Nothing is imported before the notebook imports pyplot itself."""

    def __init__(self, display):
        self.display = display
        sys.meta_path.insert(0, PyplotFinder())
        flush_hooks[:] = [self.flush]

    def flush(self):
        """Shows every open figure once, and closes it. One that was displayed as it is now was shown already."""
        pyplot = sys.modules.get("matplotlib.pyplot")
        displayed, self.display.figures = self.display.figures, []
        if pyplot is None or not hasattr(pyplot, "get_fignums"):
            return
        for number in pyplot.get_fignums():
            figure = pyplot.figure(number)
            pyplot.close(figure)
            if figure.get_axes() or figure.texts or figure.images:
                picture = render_png(figure)
                if picture not in displayed:
                    self.display.image("image/png", picture)


#: Holds the one function that shows the open figures; the backend finds it here.
flush_hooks = []


class PyplotFinder(importlib.abc.MetaPathFinder):
    """Gives pyplot our backend when it is imported: a variable of the environment would reach other programs, too."""

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
            # The folder of the service stays as it was installed.
            writes_bytecode, sys.dont_write_bytecode = sys.dont_write_bytecode, True
            try:
                module.switch_backend(BACKEND)
            finally:
                sys.dont_write_bytecode = writes_bytecode

        spec.loader.exec_module = exec_module
        return spec
