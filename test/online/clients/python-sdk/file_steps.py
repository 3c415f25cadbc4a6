"""Files of dbfs and of the workspace."""
import base64
import filecmp
import io
import os
import tempfile

from databricks.sdk.service import workspace
from sdk_client import NOTEBOOK, PROGRAM, client
from steps import error_of, step


@step("dbfs.upload and dbfs.download carry more than one block")
def _():
    data = bytes(range(256)) * 10_000
    client.dbfs.mkdirs("/scenario")
    client.dbfs.upload("/scenario/blocks.bin", io.BytesIO(data))
    with client.dbfs.download("/scenario/blocks.bin") as stream:
        return stream.read() == data


@step("dbfs.upload refuses an existing path without overwrite")
def _():
    return error_of(lambda: client.dbfs.upload("/scenario/blocks.bin", io.BytesIO(b"again"))).split(":")[0]


@step("dbfs.open writes and reads")
def _():
    with client.dbfs.open("/scenario/program.py", write=True) as file:
        file.write(PROGRAM)
    with client.dbfs.open("/scenario/program.py", read=True) as file:
        return file.read() == PROGRAM


@step("dbfs lists, moves and deletes")
def _():
    client.dbfs.put("/scenario/old", contents=base64.b64encode(b"abc").decode())
    client.dbfs.move("/scenario/old", "/scenario/new")
    size = client.dbfs.get_status("/scenario/new").file_size
    client.dbfs.delete("/scenario/new")
    return [size, sorted(file.path for file in client.dbfs.list("/scenario")), client.dbfs.exists("/scenario/new")]


@step("dbutils.fs puts, reads, copies, lists and removes")
def _():
    fs = client.dbutils.fs
    fs.mkdirs("/scenario/fs")
    fs.put("/scenario/fs/a.txt", "text", overwrite=True)
    fs.cp("/scenario/fs/a.txt", "/scenario/fs/b.txt")
    names = [file.name for file in fs.ls("/scenario/fs")]
    head = fs.head("/scenario/fs/b.txt")
    fs.rm("/scenario/fs", recurse=True)
    return [sorted(names), head, client.dbfs.exists("/scenario/fs")]


VOLUME = "/Volumes/main/default/scenario"


@step("files.upload, get_metadata and download carry a file of a volume")
def _():
    client.files.upload(f"{VOLUME}/größe 1.bin", io.BytesIO(bytes(range(256))))
    found = client.files.get_metadata(f"{VOLUME}/größe 1.bin")
    with client.files.download(f"{VOLUME}/größe 1.bin").contents as stream:
        return [found.content_length, found.content_type, bool(found.last_modified), stream.read() == bytes(range(256))]


@step("files.upload replaces a file unless overwrite is false")
def _():
    client.files.upload(f"{VOLUME}/a.txt", io.BytesIO(b"old"))
    client.files.upload(f"{VOLUME}/a.txt", io.BytesIO(b"new"))
    refused = error_of(lambda: client.files.upload(f"{VOLUME}/a.txt", io.BytesIO(b"x"), overwrite=False))
    return [client.files.download(f"{VOLUME}/a.txt").contents.read().decode(), refused.split(":")[0]]


@step("files.upload_from and download_to carry a file above 50 MB, also in parts")
def _():
    with tempfile.TemporaryDirectory() as directory:
        source, whole, parts = (os.path.join(directory, name) for name in ("source", "whole", "parts"))
        with open(source, "wb") as file:
            for index in range(52):
                file.write(bytes([index]) * 2**20)
        client.files.upload_from(f"{VOLUME}/large.bin", source)
        client.files.download_to(f"{VOLUME}/large.bin", whole)
        client.files.download_to(f"{VOLUME}/large.bin", parts, use_parallel=True, parallelism=2)
        return [filecmp.cmp(source, whole, False), filecmp.cmp(source, parts, False)]


@step("files creates, lists and deletes directories and files")
def _():
    client.files.create_directory(f"{VOLUME}/deep/deeper")
    client.files.get_directory_metadata(f"{VOLUME}/deep/deeper")
    client.files.upload(f"{VOLUME}/deep/b", io.BytesIO(b""))
    listed = [[entry.name, entry.is_directory] for entry in client.files.list_directory_contents(f"{VOLUME}/deep", page_size=1)]
    refused = error_of(lambda: client.files.delete_directory(f"{VOLUME}/deep"))
    client.files.delete(f"{VOLUME}/deep/b")
    client.files.delete_directory(f"{VOLUME}/deep/deeper")
    client.files.delete_directory(f"{VOLUME}/deep")
    missing = [
        error_of(lambda: client.files.get_metadata(f"{VOLUME}/deep/b")),
        error_of(lambda: client.files.get_directory_metadata(f"{VOLUME}/deep")),
        error_of(lambda: client.files.download(f"{VOLUME}/deep/b")),
    ]
    return [listed, refused.split(":")[0], [error.split(":")[0] for error in missing]]


@step("dbutils.fs puts, reads, copies, lists and removes below /Volumes")
def _():
    fs = client.dbutils.fs
    fs.mkdirs(f"{VOLUME}/fs")
    fs.put(f"{VOLUME}/fs/a.txt", "text", overwrite=True)
    fs.cp(f"{VOLUME}/fs/a.txt", f"{VOLUME}/fs/b.txt")
    fs.cp(f"{VOLUME}/fs/a.txt", "dbfs:/scenario/from-volume.txt")
    fs.mv(f"{VOLUME}/fs/b.txt", f"{VOLUME}/fs/c.txt")
    names = sorted(file.name for file in fs.ls(f"{VOLUME}/fs"))
    head = fs.head(f"{VOLUME}/fs/c.txt")
    copied = client.dbfs.read("/scenario/from-volume.txt").bytes_read
    client.dbfs.delete("/scenario/from-volume.txt")
    fs.rm(f"{VOLUME}/fs", recurse=True)
    return [names, head, copied, client.dbfs.exists(f"{VOLUME}/fs")]


@step("workspace.upload imports a notebook, and download returns its source")
def _():
    client.workspace.mkdirs("/scenario")
    client.workspace.upload(
        "/scenario/greet",
        io.BytesIO(NOTEBOOK),
        format=workspace.ImportFormat.SOURCE,
        language=workspace.Language.PYTHON,
        overwrite=True,
    )
    with client.workspace.download("/scenario/greet") as stream:
        text = stream.read()
    return [client.workspace.get_status("/scenario/greet").object_type.value, text.splitlines()[:2] == NOTEBOOK.splitlines()[:2]]


@step("workspace.upload in format AUTO keeps a file as it is")
def _():
    client.workspace.upload("/scenario/data.csv", io.BytesIO(b"a,b\n1,2\n"), format=workspace.ImportFormat.AUTO)
    with client.workspace.download("/scenario/data.csv") as stream:
        return [stream.read().decode(), client.workspace.get_status("/scenario/data.csv").object_type.value]


@step("workspace.export answers HTML and Jupyter")
def _():
    def content(form):
        return base64.b64decode(client.workspace.export("/scenario/greet", format=form).content).decode()

    html = content(workspace.ExportFormat.HTML)
    notebook = content(workspace.ExportFormat.JUPYTER)
    return ["__DATABRICKS_NOTEBOOK_MODEL" in html, '"nbformat"' in notebook and "dbutils.widgets.get" in notebook]


@step("workspace.list walks directories")
def _():
    client.workspace.mkdirs("/scenario/deep/deeper")
    paths = sorted(item.path for item in client.workspace.list("/scenario", recursive=True))
    client.workspace.delete("/scenario/deep", recursive=True)
    return paths
