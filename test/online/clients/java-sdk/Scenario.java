import com.databricks.sdk.WorkspaceClient;
import com.databricks.sdk.mixin.NodeTypeSelector;
import com.databricks.sdk.mixin.SparkVersionSelector;
import com.databricks.sdk.service.compute.ClusterDetails;
import com.databricks.sdk.service.compute.ClusterSpec;
import com.databricks.sdk.service.compute.CreateCluster;
import com.databricks.sdk.service.compute.EditCluster;
import com.databricks.sdk.service.compute.GetEvents;
import com.databricks.sdk.service.compute.ListClustersFilterBy;
import com.databricks.sdk.service.compute.ListClustersRequest;
import com.databricks.sdk.service.compute.RestartCluster;
import com.databricks.sdk.service.compute.State;
import com.databricks.sdk.service.files.CreateDirectoryRequest;
import com.databricks.sdk.service.files.UploadRequest;
import com.databricks.sdk.service.jobs.*;
import com.databricks.sdk.service.settings.CreateTokenRequest;
import com.databricks.sdk.service.workspace.Import;
import com.databricks.sdk.service.workspace.ImportFormat;
import com.databricks.sdk.service.workspace.Language;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.*;
import java.util.concurrent.Callable;

/** Uses the Java SDK as its users do: jobs and runs with its waiters, files, clusters, tokens, permissions. */
public class Scenario {
  static final WorkspaceClient client = new WorkspaceClient();
  static final Duration limit = Duration.ofMinutes(3);
  static final ObjectMapper mapper = new ObjectMapper();

  static final String PROGRAM =
      String.join(
          "\n",
          "import os, sys, time",
          "print('program', sys.argv[1], flush=True)",
          "if sys.argv[1] == 'wait': time.sleep(600)",
          "if sys.argv[1] == 'wish' and not os.path.exists(os.environ['RUNYARD_MANAGED_FS'] + '/wish'): sys.exit('no wish')",
          "");
  static final String NOTEBOOK =
      "# Databricks notebook source\ndbutils.notebook.exit('hello ' + dbutils.widgets.get('who'))\n";

  /** Prints one step: its name, and its value or its error. */
  static void step(String name, Callable<Object> action) throws Exception {
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("step", name);
    try {
      line.put("value", action.call());
    } catch (Exception error) {
      line.put("error", error.getClass().getSimpleName() + ": " + error.getMessage());
    }
    System.out.println(mapper.writeValueAsString(line));
  }

  static String errorOf(Callable<Object> action) {
    try {
      action.call();
    } catch (Exception error) {
      return error.getClass().getSimpleName() + ": " + error.getMessage();
    }
    return "The call raised nothing.";
  }

  static <T> List<T> listOf(Iterable<T> items) {
    List<T> list = new ArrayList<>();
    items.forEach(list::add);
    return list;
  }

  static String encode(String text) {
    return Base64.getEncoder().encodeToString(text.getBytes());
  }

  static Task pythonTask(String word) {
    return new Task()
        .setTaskKey(word)
        .setExistingClusterId("sdk")
        .setSparkPythonTask(
            new SparkPythonTask().setPythonFile("dbfs:/scenario/program.py").setParameters(List.of(word)));
  }

  static long createJob(String name, Task... tasks) {
    return client.jobs().create(new CreateJob().setName(name).setTasks(List.of(tasks))).getJobId();
  }

  static List<String> resultOf(Run run) {
    return List.of(
        String.valueOf(run.getState().getLifeCycleState()), String.valueOf(run.getState().getResultState()));
  }

  static void files() throws Exception {
    step(
        "dbfs writes and reads a file of several blocks",
        () -> {
          byte[] data = new byte[2_500_000];
          new Random(1).nextBytes(data);
          client.dbfs().mkdirs("/scenario");
          client.dbfs().write(Path.of("/scenario/blocks.bin"), data);
          client.dbfs().write(Path.of("/scenario/program.py"), PROGRAM.getBytes());
          return Arrays.equals(data, client.dbfs().readAllBytes(Path.of("/scenario/blocks.bin")));
        });
    step(
        "files uploads, describes, downloads, lists and deletes files of a volume",
        () -> {
          String volume = "/Volumes/main/default/java";
          client.files().createDirectory(new CreateDirectoryRequest().setDirectoryPath(volume));
          client
              .files()
              .upload(
                  new UploadRequest()
                      .setFilePath(volume + "/a b.txt")
                      .setContents(new ByteArrayInputStream("text".getBytes())));
          long length = client.files().getMetadata(volume + "/a b.txt").getContentLength();
          String text = new String(client.files().download(volume + "/a b.txt").getContents().readAllBytes());
          List<String> names = new ArrayList<>();
          client.files().listDirectoryContents(volume).forEach(entry -> names.add(entry.getName()));
          client.files().delete(volume + "/a b.txt");
          client.files().deleteDirectory(volume);
          String error =
              errorOf(
                  () -> {
                    client.files().getDirectoryMetadata(volume);
                    return null;
                  });
          return List.of(length, text, names, error.startsWith("NotFound"));
        });
    step(
        "workspace imports and exports a notebook",
        () -> {
          client.workspace().mkdirs("/scenario");
          client
              .workspace()
              .importContent(
                  new Import()
                      .setPath("/scenario/greet")
                      .setFormat(ImportFormat.SOURCE)
                      .setLanguage(Language.PYTHON)
                      .setContent(encode(NOTEBOOK))
                      .setOverwrite(true));
          String content = client.workspace().export("/scenario/greet").getContent();
          return new String(Base64.getDecoder().decode(content)).startsWith(NOTEBOOK.trim());
        });
  }

  static void jobs() throws Exception {
    long[] jobId = {0};
    Run[] run = {null};
    step(
        "jobs are created, read and listed",
        () -> {
          Task greet =
              new Task()
                  .setTaskKey("greet")
                  .setExistingClusterId("sdk")
                  .setNotebookTask(
                      new NotebookTask().setNotebookPath("/scenario/greet").setBaseParameters(Map.of("who", "Ann")));
          Task hello = pythonTask("hello").setDependsOn(List.of(new TaskDependency().setTaskKey("greet")));
          jobId[0] = createJob("scenario", greet, hello);
          JobSettings settings = client.jobs().get(jobId[0]).getSettings();
          int listed = listOf(client.jobs().list(new ListJobsRequest().setName("scenario"))).size();
          return List.of(settings.getName(), settings.getTasks().size(), listed);
        });
    step(
        "runNow waits for a successful run",
        () -> {
          run[0] = client.jobs().runNow(new RunNow().setJobId(jobId[0])).get(limit);
          return resultOf(run[0]);
        });
    step(
        "getRunOutput returns the exit value and the logs",
        () -> {
          Map<String, String> found = new TreeMap<>();
          for (RunTask task : run[0].getTasks()) {
            RunOutput output = client.jobs().getRunOutput(task.getRunId());
            NotebookOutput notebook = output.getNotebookOutput();
            found.put(task.getTaskKey(), notebook == null ? output.getLogs() : notebook.getResult());
          }
          return found;
        });
    step(
        "listRuns lists the runs of a job",
        () -> listOf(client.jobs().listRuns(new ListRunsRequest().setJobId(jobId[0]).setCompletedOnly(true))).size());
    step(
        "the waiter of a failed run raises, and the waiter of its repair returns",
        () -> {
          JobSettings settings = new JobSettings().setName("reset").setTasks(List.of(pythonTask("wish")));
          client.jobs().reset(new ResetJob().setJobId(jobId[0]).setNewSettings(settings));
          var wait = client.jobs().runNow(new RunNow().setJobId(jobId[0]));
          String error = errorOf(() -> wait.get(limit));
          client.dbfs().write(Path.of("/wish"), "yes".getBytes());
          RepairRun repair = new RepairRun().setRunId(wait.getResponse().getRunId()).setRerunAllFailedTasks(true);
          return List.of(error, resultOf(client.jobs().repairRun(repair).get(limit)));
        });
    step(
        "cancelRun waits for the end of an active run",
        () -> {
          long waits = createJob("waits", pythonTask("wait"));
          long runId = client.jobs().runNow(new RunNow().setJobId(waits)).getResponse().getRunId();
          Run canceled = client.jobs().cancelRun(runId).get(limit);
          client.jobs().deleteRun(runId);
          client.jobs().delete(waits);
          return resultOf(canceled);
        });
    step(
        "submit waits for a run on a new cluster",
        () -> {
          ClusterSpec cluster =
              new ClusterSpec().setSparkVersion("16.4.x-scala2.12").setNodeTypeId("standard-2").setNumWorkers(1L);
          SubmitTask task =
              new SubmitTask()
                  .setTaskKey("once")
                  .setNewCluster(cluster)
                  .setSparkPythonTask(pythonTask("once").getSparkPythonTask());
          SubmitRun submission = new SubmitRun().setRunName("once").setTasks(List.of(task));
          return resultOf(client.jobs().submit(submission).get(limit));
        });
    step(
        "permissions of a job are set",
        () -> {
          var users =
              new JobAccessControlRequest().setGroupName("users").setPermissionLevel(JobPermissionLevel.CAN_VIEW);
          JobPermissionsRequest request =
              new JobPermissionsRequest().setJobId(String.valueOf(jobId[0])).setAccessControlList(List.of(users));
          for (var entry : client.jobs().setPermissions(request).getAccessControlList())
            if ("users".equals(entry.getGroupName()))
              return String.valueOf(entry.getAllPermissions().iterator().next().getPermissionLevel());
          return "no entry";
        });
    step(
        "a deleted job is gone",
        () -> {
          client.jobs().delete(jobId[0]);
          return errorOf(() -> client.jobs().get(jobId[0])).replace(String.valueOf(jobId[0]), "N");
        });
  }

  static void clusters() throws Exception {
    step(
        "clusters are chosen by their properties, created, edited, restarted and stopped",
        () -> {
          String node = client.clusters().selectNodeType(new NodeTypeSelector().withLocalDisk().withMinCores(2));
          String version =
              client.clusters().selectSparkVersion(new SparkVersionSelector().withLatest().withLongTermSupport());
          ClusterDetails cluster =
              client
                  .clusters()
                  .create(
                      new CreateCluster()
                          .setClusterName("scenario")
                          .setSparkVersion(version)
                          .setNodeTypeId(node)
                          .setNumWorkers(1L))
                  .get(limit);
          String id = cluster.getClusterId();
          ClusterDetails edited =
              client
                  .clusters()
                  .edit(
                      new EditCluster()
                          .setClusterId(id)
                          .setClusterName("edited")
                          .setSparkVersion(version)
                          .setNodeTypeId(node)
                          .setNumWorkers(2L))
                  .get(limit);
          ClusterDetails restarted = client.clusters().restart(new RestartCluster().setClusterId(id)).get(limit);
          var running = new ListClustersFilterBy().setClusterStates(List.of(State.RUNNING));
          long found =
              listOf(client.clusters().list(new ListClustersRequest().setFilterBy(running))).stream()
                  .filter(one -> id.equals(one.getClusterId()))
                  .count();
          ClusterDetails stopped = client.clusters().delete(id).get(limit);
          client.clusters().ensureClusterIsRunning(id);
          int events = listOf(client.clusters().events(new GetEvents().setClusterId(id))).size();
          client.clusters().permanentDelete(id);
          return List.of(
              String.valueOf(cluster.getState()),
              edited.getClusterName(),
              edited.getNumWorkers(),
              String.valueOf(restarted.getState()),
              found,
              String.valueOf(stopped.getState()),
              events > 3);
        });
    step(
        "zones, node types and runtime versions are listed",
        () ->
            List.of(
                client.clusters().listZones().getDefaultZone() != null,
                !client.clusters().listNodeTypes().getNodeTypes().isEmpty(),
                !client.clusters().sparkVersions().getVersions().isEmpty()));
  }

  public static void main(String[] arguments) throws Exception {
    files();
    jobs();
    clusters();
    step(
        "tokens are created, listed and revoked",
        () -> {
          var created = client.tokens().create(new CreateTokenRequest().setComment("java").setLifetimeSeconds(3600L));
          int before = listOf(client.tokens().list()).size();
          client.tokens().delete(created.getTokenInfo().getTokenId());
          return before - listOf(client.tokens().list()).size();
        });
    System.exit(0);
  }
}
