"""Resolves paths of notebooks in the workspace to files."""

import os
import posixpath

EXTENSIONS = ("", ".py", ".ipynb")
UNSUPPORTED_LANGUAGES = {".sql": "SQL", ".js": "JavaScript", ".scala": "Scala", ".r": "R"}


class NotebookNotFound(Exception):
    """The notebook does not exist or cannot be run from a Python notebook."""


def resolve_path(path, base):
    """Resolves a path used in the notebook `base`. Raises ValueError for a path outside the workspace."""
    path = str(path)
    if not path or "\0" in path:
        raise ValueError("The path of a notebook is %r; it must be a non-empty string." % (path,))
    joined = path if path.startswith("/") else posixpath.join(posixpath.dirname(base), path)
    names = []
    for name in joined.split("/"):
        if name == "..":
            if not names:
                raise ValueError("The path %s leads outside the workspace." % path)
            names.pop()
        elif name not in ("", "."):
            names.append(name)
    while names and names[0] == "Workspace":
        names.pop(0)
    return "/" + "/".join(names)


def find_notebook_file(root, path):
    """Returns the file of a Python notebook. Raises NotebookNotFound with the paths that were tried."""
    base = os.path.realpath(root)
    for extension in EXTENSIONS:
        real = os.path.realpath(os.path.join(base, path.lstrip("/") + extension))
        if not real.startswith(base + os.sep):
            raise NotebookNotFound("The path %s leads outside the workspace." % path)
        if os.path.isfile(real):
            kind = UNSUPPORTED_LANGUAGES.get(os.path.splitext(real)[1].lower())
            if kind is None:
                return real
            raise NotebookNotFound(
                "%s is a %s notebook; %%run supports only Python notebooks." % (path, kind)
            )
    for extension, kind in UNSUPPORTED_LANGUAGES.items():
        if os.path.isfile(os.path.join(base, path.lstrip("/") + extension)):
            raise NotebookNotFound(
                "%s is a %s notebook; %%run supports only Python notebooks." % (path, kind)
            )
    raise NotebookNotFound(
        "The notebook %s was not found in the workspace (tried %s)."
        % (path, ", ".join(path + extension for extension in EXTENSIONS))
    )
