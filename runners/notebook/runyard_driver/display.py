"""Shows values: as tables, pictures, HTML or text."""
import base64
import sys

from .figures import render_png, is_figure
from .tables import table_of

#: Method of a value -> kind of the picture that it returns.
IMAGE_METHODS = (("_repr_svg_", "image/svg+xml"), ("_repr_png_", "image/png"), ("_repr_jpeg_", "image/jpeg"))
IMAGE_KINDS = ("image/png", "image/jpeg", "image/gif", "image/svg+xml")


class Display:
    """`display` and `displayHTML` of a notebook."""

    def __init__(self, recorder):
        self.recorder = recorder
        #: FigureDisplay that this cell has displayed: those that are still open and unchanged are not shown again at its end.
        self.figures = []

    def display(self, *values, **_options):
        """Shows each value: a data frame or a list of dictionaries as a table, else as the value itself knows how
        (`_repr_html_`, `_repr_png_` and the like), else as repr."""
        for value in values:
            found = table_of(value)
            if found is not None:
                self.recorder.add_output(found)
            else:
                self.show(value)

    def show(self, value):
        """Shows the value of a cell's last line: like `display`, but a list is shown as Python writes it."""
        if is_figure(value):
            self.figures.append(render_png(value))
            return self.image("image/png", self.figures[-1])
        found = None if isinstance(value, (list, tuple)) else table_of(value)
        if found is not None:
            return self.recorder.add_output(found)
        if not isinstance(value, type):
            bundle = call_repr_method(value, "_repr_mimebundle_")
            bundle = bundle[0] if isinstance(bundle, tuple) else bundle
            if isinstance(bundle, dict) and self.publish(bundle):
                return None
            html = call_repr_method(value, "_repr_html_")
            if html is not None:
                return self.recorder.add_text("html", str(html))
            for method, kind in IMAGE_METHODS:
                picture = call_repr_method(value, method)
                picture = picture[0] if isinstance(picture, tuple) else picture
                if picture is not None:
                    return self.image(kind, picture)
            for method in ("_repr_markdown_", "_repr_latex_"):
                text = call_repr_method(value, method)
                text = text[0] if isinstance(text, tuple) else text
                if text is not None:
                    return self.recorder.add_text("text", str(text))
        return self.recorder.add_text("text", to_text(value))

    def publish(self, bundle):
        """Shows the richest form of several; false when there is none that can be shown."""
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
        """Shows a picture: bytes, or text that is base64 already (of SVG: the drawing itself)."""
        if kind == "image/svg+xml" and isinstance(data, str):
            data = data.encode("utf-8", "backslashreplace")
        coded = base64.b64encode(data).decode("ascii") if isinstance(data, (bytes, bytearray)) else "".join(str(data).split())
        self.recorder.add_output({"type": "image", "mime": kind, "data": coded})

    def display_html(self, html):
        """Shows a piece of HTML."""
        self.recorder.add_text("html", str(html))


def to_text(value):
    """The text of a value: where IPython is in use, values that are written for it (`_repr_pretty_`) say it themselves."""
    if "IPython" in sys.modules and callable(getattr(type(value), "_repr_pretty_", None)):
        from IPython.lib.pretty import pretty
        return pretty(value)
    return repr(value)


def call_repr_method(value, method):
    """What a value's own method returns; None when it has none, or wants nothing of it."""
    draw = getattr(value, method, None)
    if not callable(draw):
        return None
    try:
        return draw()
    except NotImplementedError:
        return None


def text_of(value):
    return "".join(value) if isinstance(value, (list, tuple)) else str(value)
