"""`dbutils.fs`: files of managed_fs, by paths such as `managed_fs:/data/rain.csv`."""

import collections
import os
import re
import shutil
import stat
import tempfile

SCHEMES = ("managed_fs:", "dbfs:")
#: Paths at which programs find managed_fs, or a directory of it: path, path in managed_fs.
MOUNT_POINTS = (("/dbfs", ""), ("/Volumes", "/Volumes"))

FileInfo = collections.namedtuple("FileInfo", "path name size modificationTime")
FileInfo.__doc__ = (
    "Entry of a directory. Names and paths of directories end with a slash; times are epoch milliseconds."
)
FileInfo.isDir = lambda self: self.name.endswith("/")
FileInfo.isFile = lambda self: not self.isDir()


class FileSystem:
    """`root`: the directory of `managed_fs:/`. Neither `..` nor links lead out of it."""

    def __init__(self, root):
        self._root = root

    def ls(self, dir):
        """Lists the direct entries of a directory by name; for a file, the file itself."""
        name, path = self._resolve_existing(dir)
        if not os.path.isdir(path):
            return [file_info(name, path)]
        entries = []
        for entry in sorted(os.listdir(path)):
            inside = os.path.join(path, entry)
            if self._is_inside(inside) and os.path.exists(inside):
                entries.append(file_info(name.rstrip("/") + "/" + entry, inside))
        return entries

    def head(self, file, maxBytes=65536, max_bytes=None):
        """Returns the first bytes of a file as text."""
        _, path = self._resolve_existing(file)
        if not os.path.isfile(path):
            raise IsADirectoryError("%s is a directory; dbutils.fs.head reads a file." % file)
        with open(path, "rb") as content:
            return content.read(maxBytes if max_bytes is None else max_bytes).decode("utf-8", "replace")

    def put(self, file, contents, overwrite=False):
        """Writes a text to a file atomically. Raises FileExistsError without `overwrite`."""
        name, path = self._resolve(file)
        if os.path.isdir(path):
            raise IsADirectoryError("%s is a directory." % file)
        if os.path.lexists(path) and not overwrite:
            raise FileExistsError("%s already exists; pass overwrite=True to replace it." % name)
        data = contents.encode("utf-8") if isinstance(contents, str) else bytes(contents)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        write_atomically(path, data)
        print("Wrote %d bytes." % len(data))
        return True

    def mkdirs(self, dir):
        """Creates a directory and its missing parents."""
        os.makedirs(self._resolve(dir)[1], exist_ok=True)
        return True

    def cp(self, source, to, recurse=False, **_renamed):
        """Copies a file, or a directory with `recurse`."""
        name, path = self._resolve_existing(source)
        target = self._resolve_target(path, to)
        if os.path.isdir(path):
            self._check_tree(name, path, target, recurse)
            shutil.copytree(path, target, dirs_exist_ok=True, ignore=self._find_outside_links)
        else:
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copyfile(path, target)
        return True

    def mv(self, source, to, recurse=False):
        """Moves a file, or a directory with `recurse`."""
        name, path = self._resolve_existing(source)
        target = self._resolve_target(path, to)
        if os.path.isdir(path):
            self._check_tree(name, path, target, recurse)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.move(self._resolve_entry(source), target)
        return True

    def rm(self, dir, recurse=False):
        """Removes a file, a link, or a directory with `recurse`. Returns False if the path does not exist."""
        path = self._resolve_entry(dir)
        if not os.path.lexists(path):
            return False
        if stat.S_ISDIR(os.lstat(path).st_mode):
            if os.listdir(path) and not recurse:
                raise OSError(
                    "%s is a directory that is not empty; pass recurse=True to remove it with its content."
                    % dir
                )
            shutil.rmtree(path)
        else:
            os.unlink(path)
        return True

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        raise NotImplementedError(
            "dbutils.fs.%s is not available in Runyard; all files are below managed_fs:/." % name
        )

    def _resolve(self, uri):
        """Returns (path in managed_fs, real path). Raises ValueError for a path outside managed_fs."""
        inside = normalize_path(uri)
        real = os.path.realpath(os.path.join(self._root, inside.lstrip("/")))
        if not self._is_inside(real):
            raise ValueError("The path %s leads outside managed_fs." % uri)
        return inside, real

    def _is_inside(self, path):
        root = os.path.realpath(self._root)
        real = os.path.realpath(path)
        return real == root or real.startswith(root + os.sep)

    def _resolve_existing(self, uri):
        name, path = self._resolve(uri)
        if name == "/" and not os.path.exists(path):
            os.makedirs(path, exist_ok=True)
        if not os.path.exists(path):
            raise FileNotFoundError("%s does not exist in managed_fs." % uri)
        return name, path

    def _resolve_entry(self, uri):
        """Returns the path with its parent resolved but the last name unresolved, as it may be a link."""
        inside = normalize_path(uri)
        if inside == "/":
            raise ValueError("managed_fs:/ itself cannot be moved or removed.")
        folder, name = os.path.split(inside)
        return os.path.join(self._resolve(folder)[1], name)

    def _resolve_target(self, path, to):
        """Returns the destination; in an existing directory, the entry keeps its name."""
        _, target = self._resolve(to)
        if os.path.isdir(target) and not (os.path.isdir(path) and not str(to).endswith("/")):
            target = os.path.join(target, os.path.basename(path))
        return target

    def _check_tree(self, name, path, target, recurse):
        if not recurse:
            raise IsADirectoryError("%s is a directory; pass recurse=True." % name)
        if target == path or target.startswith(path.rstrip(os.sep) + os.sep):
            raise ValueError("%s cannot be copied or moved into itself." % name)

    def _find_outside_links(self, folder, names):
        """Returns the names in a copied directory that are links to outside managed_fs."""
        return [name for name in names if not self._is_inside(os.path.join(folder, name))]


def write_atomically(path, data):
    """Writes a file atomically: a reader sees the old or the new content."""
    handle, draft = tempfile.mkstemp(prefix=".runyard-draft-", dir=os.path.dirname(path))
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(draft, path)
    finally:
        if os.path.lexists(draft):
            os.unlink(draft)


def find_managed_path(uri):
    """Returns the path in managed_fs of a URI or of a path below a mount point; None for other texts."""
    path = re.sub("^file:/*", "/", uri)
    for point, folder in MOUNT_POINTS:
        if path == point or path.startswith(point + "/"):
            return without_mount_name(folder + path[len(point) :])
    for scheme in SCHEMES:
        if uri.startswith(scheme):
            return without_mount_name(uri[len(scheme) :])
    return None


def without_mount_name(path):
    """Removes leading `/dbfs`, which means managed_fs itself. The root is `/`."""
    return re.sub("^(/+dbfs(?=/|$))+", "", path) or "/"


def normalize_path(uri):
    """Returns the canonical form `/a/b` of a path in managed_fs. Raises ValueError for other paths."""
    path = find_managed_path(str(uri))
    if path is None:
        path = str(uri)
        if ":/" in path.split("/", 1)[0] + "/":
            raise ValueError(
                "The path %s is not in managed_fs; dbutils.fs takes managed_fs:/x, dbfs:/x, /dbfs/x, "
                "/Volumes/x or /x." % uri
            )
    if not path.startswith("/") or "\0" in path:
        raise ValueError(
            "The path %r must begin with managed_fs:/ or a slash and contain no null byte." % (uri,)
        )
    names = []
    for name in path.split("/"):
        if name == "..":
            if not names:
                raise ValueError("The path %s leads outside managed_fs." % uri)
            names.pop()
        elif name not in ("", "."):
            names.append(name)
    return "/" + "/".join(names)


def file_info(inside, path):
    """Returns the FileInfo of a path."""
    found = os.stat(path)
    folder = stat.S_ISDIR(found.st_mode)
    shown = "managed_fs:" + inside + ("/" if folder and inside != "/" else "")
    name = inside.rsplit("/", 1)[1] + ("/" if folder else "")
    return FileInfo(shown, name, 0 if folder else found.st_size, int(found.st_mtime * 1000))
