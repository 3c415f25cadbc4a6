"""Shows values as tables, images, HTML or text."""

import base64
import sys

from .figures import render_png, is_figure
from .tables import table_of

#: Methods of a value that return an image, with its MIME type.
IMAGE_METHODS = (("_repr_svg_", "image/svg+xml"), ("_repr_png_", "image/png"), ("_repr_jpeg_", "image/jpeg"))
IMAGE_KINDS = ("image/png", "image/jpeg", "image/gif", "image/svg+xml")


class Display:
    """`display` and `displayHTML` of a notebook."""

    def __init__(self, recorder):
        self.recorder = recorder
        #: Figures displayed by this cell; open ones without changes are not shown again at its end.
        self.figures = []

    def display(self, *values, **_options):
        """Shows each value: a data frame or a list of dictionaries as a table, others by their own methods
        (`_repr_html_`, `_repr_png_`, ...) or else as repr."""
        for value in values:
            table = table_of(value)
            if table is not None:
                self.recorder.add_output(table)
            else:
                self.show(value)

    def show(self, value):
        """Shows the value of a cell's last expression. Unlike `display`, it shows a list as repr."""
        if is_figure(value):
            self.figures.append(render_png(value))
            return self.image("image/png", self.figures[-1])
        table = None if isinstance(value, (list, tuple)) else table_of(value)
        if table is not None:
            return self.recorder.add_output(table)
        if not isinstance(value, type):
            bundle = call_repr_method(value, "_repr_mimebundle_")
            bundle = bundle[0] if isinstance(bundle, tuple) else bundle
            if isinstance(bundle, dict) and self.publish(bundle):
                return None
            html = call_repr_method(value, "_repr_html_")
            if html is not None:
                return self.recorder.add_text("html", str(html))
            for method, kind in IMAGE_METHODS:
                image = call_repr_method(value, method)
                image = image[0] if isinstance(image, tuple) else image
                if image is not None:
                    return self.image(kind, image)
            for method in ("_repr_markdown_", "_repr_latex_"):
                text = call_repr_method(value, method)
                text = text[0] if isinstance(text, tuple) else text
                if text is not None:
                    return self.recorder.add_text("text", str(text))
        return self.recorder.add_text("text", to_text(value))

    def publish(self, bundle):
        """Shows the richest supported form of a MIME bundle; returns False if there is none."""
        if bundle.get("text/html") is not None:
            self.recorder.add_text("html", text_of(bundle["text/html"]))
            return True
        for kind in IMAGE_KINDS:
            if bundle.get(kind) is not None:
                self.image(kind, bundle[kind])
                return True
        for kind in ("text/markdown", "text/latex", "text/plain"):
            if bundle.get(kind) is not None:
                self.recorder.add_text("text", text_of(bundle[kind]))
                return True
        return False

    def image(self, kind, data):
        """Shows an image: bytes, base64 text, or SVG source."""
        if kind == "image/svg+xml" and isinstance(data, str):
            data = data.encode("utf-8", "backslashreplace")
        coded = (
            base64.b64encode(data).decode("ascii")
            if isinstance(data, (bytes, bytearray))
            else "".join(str(data).split())
        )
        self.recorder.add_output({"type": "image", "mime": kind, "data": coded})

    def display_html(self, html):
        """Shows HTML."""
        self.recorder.add_text("html", str(html))


def to_text(value):
    """Returns the text of a value: `_repr_pretty_` while IPython is loaded, else repr."""
    if "IPython" in sys.modules and callable(getattr(type(value), "_repr_pretty_", None)):
        from IPython.lib.pretty import pretty

        return pretty(value)
    return repr(value)


def call_repr_method(value, method):
    """Returns the result of a value's repr method; None if it does not exist or is not implemented."""
    function = getattr(value, method, None)
    if not callable(function):
        return None
    try:
        return function()
    except NotImplementedError:
        return None


def text_of(value):
    return "".join(value) if isinstance(value, (list, tuple)) else str(value)
