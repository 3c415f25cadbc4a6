"""Parses a Jupyter notebook (nbformat 4) into cells."""

import json

from .cells import Cell, parse_cell, trim_blank_lines


class InvalidNotebook(Exception):
    """The file is not a notebook that this driver can run. The message says why."""


def parse_notebook(text):
    """Returns the cells of a notebook. Raises InvalidNotebook for other formats or kernels."""
    try:
        document = json.loads(text)
    except ValueError as error:
        raise InvalidNotebook("The .ipynb file is not valid JSON: %s." % error) from None
    check_format(document)
    cells = []
    for cell in document["cells"]:
        lines = trim_blank_lines(source_of(cell).split("\n"))
        if lines:
            cells.append(parse_jupyter_cell(len(cells) + 1, cell, lines))
    return cells


def check_format(document):
    version = document.get("nbformat") if isinstance(document, dict) else None
    if not isinstance(version, int):
        raise InvalidNotebook("The file is not a Jupyter notebook: it has no field nbformat.")
    if version != 4:
        raise InvalidNotebook(
            "The notebook has nbformat %d; only nbformat 4 is supported. Convert it: jupyter nbconvert "
            "--to notebook --nbformat 4 FILE." % version
        )
    if not isinstance(document.get("cells"), list):
        raise InvalidNotebook("The notebook has no list of cells, which nbformat 4 requires.")
    language = language_of(document.get("metadata"))
    if language != "python":
        raise InvalidNotebook(
            'The notebook is written for the language "%s" (metadata.kernelspec); .ipynb files '
            "can only contain Python." % language
        )


def language_of(metadata):
    """Returns the language of the notebook's kernel in lower case; Python if it is not given."""
    metadata = metadata if isinstance(metadata, dict) else {}
    kernel, info = metadata.get("kernelspec"), metadata.get("language_info")
    named = kernel.get("language") if isinstance(kernel, dict) else None
    named = named or (info.get("name") if isinstance(info, dict) else None)
    named = str(named or "python").lower()
    return "python" if named in ("python", "python3", "ipython", "ipython3") else named


def source_of(cell):
    source = cell.get("source", "") if isinstance(cell, dict) else ""
    if isinstance(source, list):
        source = "".join(part for part in source if isinstance(part, str))
    return source.replace("\r\n", "\n") if isinstance(source, str) else ""


def parse_jupyter_cell(position, cell, lines):
    kind = cell.get("cell_type")
    if kind == "markdown":
        return Cell(position, "markdown", None, "\n".join(lines))
    if kind == "raw":
        # Raw cells are shown verbatim.
        return Cell(position, "markdown", None, "\n".join(["```"] + lines + ["```"]))
    if kind != "code":
        raise InvalidNotebook(
            'Cell %d has the cell_type "%s"; it must be code, markdown or raw.' % (position, kind)
        )
    metadata = cell.get("metadata")
    title = metadata.get("title") if isinstance(metadata, dict) else None
    return parse_cell(position, title if isinstance(title, str) and title else None, lines)
