"""Files of dbfs and of the workspace."""
import base64
import io

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
