"""Paths of the workspace: which one a notebook means, and which file that is."""
import os
import posixpath

EXTENSIONS = ("", ".py", ".ipynb")
UNSUPPORTED_LANGUAGES = {".sql": "SQL", ".js": "JavaScript", ".scala": "Scala", ".r": "R"}


class NotebookNotFound(Exception):
    """There is no such notebook that could be run from here."""


def resolve_path(path, of):
    """The absolute path that a notebook means; `of`: its own path. Raises ValueError for one that leads outside."""
    path = str(path)
    if not path or "\0" in path:
        raise ValueError("The path of a notebook is a text that is not empty, not %r." % (path,))
    joined = path if path.startswith("/") else posixpath.join(posixpath.dirname(of), path)
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
    """The file of a Python notebook in the workspace. Raises NotebookNotFound, saying where was looked."""
    base = os.path.realpath(root)
    for extension in EXTENSIONS:
        real = os.path.realpath(os.path.join(base, path.lstrip("/") + extension))
        if not real.startswith(base + os.sep):
            raise NotebookNotFound("The path %s leads outside the workspace." % path)
        if os.path.isfile(real):
            kind = UNSUPPORTED_LANGUAGES.get(os.path.splitext(real)[1].lower())
            if kind is None:
                return real
            raise NotebookNotFound("%s is a %s notebook; %%run takes Python notebooks." % (path, kind))
    for extension, kind in UNSUPPORTED_LANGUAGES.items():
        if os.path.isfile(os.path.join(base, path.lstrip("/") + extension)):
            raise NotebookNotFound("%s is a %s notebook; %%run takes Python notebooks." % (path, kind))
    raise NotebookNotFound("The notebook %s was not found in the workspace (looked for %s)."
                   % (path, ", ".join(path + extension for extension in EXTENSIONS)))
