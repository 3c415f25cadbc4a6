"""Matplotlib backend of a notebook: draws into memory; `show` adds the figures to the cell's output."""

from matplotlib.backends.backend_agg import FigureCanvasAgg, new_figure_manager  # noqa: F401

from .figures import flush_hooks

FigureCanvas = FigureCanvasAgg


def show(*_args, **_options):
    """`plt.show()`."""
    for flush in flush_hooks:
        flush()
