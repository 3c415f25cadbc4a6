"""Reads a Jupyter notebook (nbformat 4) as cells."""
import json

from .cells import Cell, parse_cell, trim_blank_lines


class InvalidNotebook(Exception):
    """The file holds no notebook that this driver runs. The message says why and what helps."""


def parse_notebook(text):
    """The cells of a Jupyter notebook. Raises InvalidNotebook for another format, and for a kernel that is not Python."""
    try:
        document = json.loads(text)
    except ValueError as error:
        raise InvalidNotebook("The notebook is not JSON, as an .ipynb file is: %s." % error) from None
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
        raise InvalidNotebook("The notebook has no field nbformat: it is no Jupyter notebook.")
    if version != 4:
        raise InvalidNotebook("The notebook has nbformat %d; only nbformat 4 is run. Convert it: jupyter nbconvert "
                           "--to notebook --nbformat 4 FILE." % version)
    if not isinstance(document.get("cells"), list):
        raise InvalidNotebook("The notebook has no list of cells, which nbformat 4 asks for.")
    language = language_of(document.get("metadata"))
    if language != "python":
        raise InvalidNotebook('The notebook is written for the language "%s" (metadata.kernelspec); only Python is run from '
                           ".ipynb files." % language)


def language_of(metadata):
    """The language of the notebook's kernel, in small letters; Python when nothing tells."""
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
        # Raw cells are neither run nor drawn; they are shown as they are.
        return Cell(position, "markdown", None, "\n".join(["```"] + lines + ["```"]))
    if kind != "code":
        raise InvalidNotebook('Cell %d has the cell_type "%s"; known are code, markdown and raw.' % (position, kind))
    metadata = cell.get("metadata")
    title = metadata.get("title") if isinstance(metadata, dict) else None
    return parse_cell(position, title if isinstance(title, str) and title else None, lines)
