// Command go-sdk uses the Go SDK as its users do: jobs and runs with its waiters, files, clusters, tokens, permissions.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/databricks/databricks-sdk-go"
	"github.com/databricks/databricks-sdk-go/service/compute"
	"github.com/databricks/databricks-sdk-go/service/files"
	"github.com/databricks/databricks-sdk-go/service/jobs"
	"github.com/databricks/databricks-sdk-go/service/settings"
	"github.com/databricks/databricks-sdk-go/service/workspace"
)

const short = 3 * time.Minute

const program = `import os, sys, time
print("program", sys.argv[1], flush=True)
if sys.argv[1] == "wait": time.sleep(600)
if sys.argv[1] == "wish" and not os.path.exists(os.environ["RUNYARD_MANAGED_FS"] + "/wish"): sys.exit("no wish")
`

const notebook = "# Databricks notebook source\ndbutils.notebook.exit(\"hello \" + dbutils.widgets.get(\"who\"))\n"

var (
	ctx    = context.Background()
	client = databricks.Must(databricks.NewWorkspaceClient())
)

// report prints one step: its name, and its value or its error.
func report(step string, action func() (any, error)) {
	line := map[string]any{"step": step}
	value, err := action()
	if err != nil {
		line["error"] = err.Error()
	} else {
		line["value"] = value
	}
	text, _ := json.Marshal(line)
	fmt.Println(string(text))
}

// check makes errors of the middle of a step end it; finish turns them into the error of the step.
func check[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func step(name string, action func() any) {
	report(name, func() (value any, err error) {
		defer func() {
			if failure := recover(); failure != nil {
				err = fmt.Errorf("%v", failure)
			}
		}()
		return action(), nil
	})
}

func pythonTask(word string) jobs.Task {
	return jobs.Task{
		TaskKey:           word,
		ExistingClusterId: "sdk",
		SparkPythonTask:   &jobs.SparkPythonTask{PythonFile: "dbfs:/scenario/program.py", Parameters: []string{word}},
	}
}

func resultOf(run *jobs.Run) []string {
	return []string{string(run.State.LifeCycleState), string(run.State.ResultState)}
}

func fileSteps() {
	step("Dbfs writes, reads and lists files", func() any {
		data := bytes.Repeat([]byte("0123456789abcdef"), 160_000)
		handle := check(client.Dbfs.Open(ctx, "/scenario/blocks.bin", files.FileModeWrite|files.FileModeOverwrite))
		check(io.Copy(handle, bytes.NewReader(data)))
		must(handle.Close())
		must(client.Dbfs.WriteFile(ctx, "/scenario/program.py", []byte(program)))
		read := check(client.Dbfs.ReadFile(ctx, "/scenario/blocks.bin"))
		names := []string{}
		for _, file := range check(client.Dbfs.RecursiveList(ctx, "/scenario")) {
			names = append(names, file.Path)
		}
		sort.Strings(names)
		return []any{bytes.Equal(data, read), names}
	})
	step("Files uploads, describes, downloads, lists and deletes files of a volume", func() any {
		const volume = "/Volumes/main/default/go"
		must(client.Files.CreateDirectory(ctx, files.CreateDirectoryRequest{DirectoryPath: volume + "/d"}))
		path := volume + "/d/a b.txt"
		upload := files.UploadRequest{FilePath: path, Contents: io.NopCloser(strings.NewReader("text")), Overwrite: true}
		must(client.Files.Upload(ctx, upload))
		found := check(client.Files.GetMetadataByFilePath(ctx, path))
		download := check(client.Files.DownloadByFilePath(ctx, path))
		text := string(check(io.ReadAll(download.Contents)))
		names := []string{}
		request := files.ListDirectoryContentsRequest{DirectoryPath: volume + "/d"}
		for _, entry := range check(client.Files.ListDirectoryContentsAll(ctx, request)) {
			names = append(names, entry.Path)
		}
		must(client.Files.DeleteByFilePath(ctx, path))
		must(client.Files.DeleteDirectoryByDirectoryPath(ctx, volume+"/d"))
		_, err := client.Files.GetMetadataByFilePath(ctx, path)
		return []any{found.ContentLength, text, names, errors.Is(err, databricks.ErrNotFound)}
	})
	step("Workspace uploads and downloads a notebook", func() any {
		must(client.Workspace.MkdirsByPath(ctx, "/scenario"))
		must(client.Workspace.Upload(ctx, "/scenario/greet", strings.NewReader(notebook),
			workspace.UploadFormat(workspace.ImportFormatSource), workspace.UploadLanguage(workspace.LanguagePython),
			workspace.UploadOverwrite()))
		stream := check(client.Workspace.Download(ctx, "/scenario/greet"))
		text := check(io.ReadAll(stream))
		return strings.HasPrefix(string(text), strings.TrimSpace(notebook))
	})
}

func jobSteps() {
	var jobID int64
	var run *jobs.Run
	step("Jobs are created, read and listed", func() any {
		greet := jobs.Task{
			TaskKey:           "greet",
			ExistingClusterId: "sdk",
			NotebookTask:      &jobs.NotebookTask{NotebookPath: "/scenario/greet", BaseParameters: map[string]string{"who": "Ann"}},
		}
		hello := pythonTask("hello")
		hello.DependsOn = []jobs.TaskDependency{{TaskKey: "greet"}}
		jobID = check(client.Jobs.Create(ctx, jobs.CreateJob{Name: "scenario", Tasks: []jobs.Task{greet, hello}})).JobId
		job := check(client.Jobs.GetByJobId(ctx, jobID))
		listed := check(client.Jobs.ListAll(ctx, jobs.ListJobsRequest{Name: "scenario"}))
		return []any{job.Settings.Name, len(job.Settings.Tasks), len(listed)}
	})
	step("RunNow waits for a successful run", func() any {
		run = check(check(client.Jobs.RunNow(ctx, jobs.RunNow{JobId: jobID})).GetWithTimeout(short))
		return resultOf(run)
	})
	step("GetRunOutput returns the exit value and the logs", func() any {
		found := map[string]any{}
		for _, task := range run.Tasks {
			output := check(client.Jobs.GetRunOutputByRunId(ctx, task.RunId))
			if output.NotebookOutput != nil {
				found[task.TaskKey] = output.NotebookOutput.Result
			} else {
				found[task.TaskKey] = output.Logs
			}
		}
		return found
	})
	step("ListRuns lists the runs of a job", func() any {
		return len(check(client.Jobs.ListRunsAll(ctx, jobs.ListRunsRequest{JobId: jobID, CompletedOnly: true})))
	})
	step("the waiter of a failed run returns an error, and the waiter of its repair does not", func() any {
		must(client.Jobs.Reset(ctx, jobs.ResetJob{
			JobId:       jobID,
			NewSettings: jobs.JobSettings{Name: "reset", Tasks: []jobs.Task{pythonTask("wish")}},
		}))
		wait := check(client.Jobs.RunNow(ctx, jobs.RunNow{JobId: jobID}))
		_, err := wait.GetWithTimeout(short)
		must(client.Dbfs.WriteFile(ctx, "/wish", []byte{}))
		repair := check(client.Jobs.RepairRun(ctx, jobs.RepairRun{RunId: wait.RunId, RerunAllFailedTasks: true}))
		return []any{fmt.Sprint(err), resultOf(check(repair.GetWithTimeout(short)))}
	})
	step("CancelRun waits for the end of an active run", func() any {
		created := check(client.Jobs.Create(ctx, jobs.CreateJob{Name: "waits", Tasks: []jobs.Task{pythonTask("wait")}}))
		started := check(client.Jobs.RunNow(ctx, jobs.RunNow{JobId: created.JobId}))
		canceled := check(check(client.Jobs.CancelRun(ctx, jobs.CancelRun{RunId: started.RunId})).GetWithTimeout(short))
		must(client.Jobs.DeleteRunByRunId(ctx, started.RunId))
		must(client.Jobs.DeleteByJobId(ctx, created.JobId))
		return resultOf(canceled)
	})
	step("Submit waits for a run on a new cluster", func() any {
		task := pythonTask("once")
		submitted := check(client.Jobs.Submit(ctx, jobs.SubmitRun{
			RunName: "once",
			Tasks: []jobs.SubmitTask{{
				TaskKey:         "once",
				SparkPythonTask: task.SparkPythonTask,
				NewCluster:      &compute.ClusterSpec{SparkVersion: "16.4.x-scala2.12", NodeTypeId: "standard-2", NumWorkers: 1},
			}},
		}))
		return resultOf(check(submitted.GetWithTimeout(short)))
	})
	step("permissions of a job are set", func() any {
		changed := check(client.Jobs.SetPermissions(ctx, jobs.JobPermissionsRequest{
			JobId:             strconv.FormatInt(jobID, 10),
			AccessControlList: []jobs.JobAccessControlRequest{{GroupName: "users", PermissionLevel: "CAN_VIEW"}},
		}))
		levels := map[string]string{}
		for _, entry := range changed.AccessControlList {
			levels[entry.UserName+entry.GroupName] = string(entry.AllPermissions[0].PermissionLevel)
		}
		return levels["users"]
	})
	step("a deleted job is gone", func() any {
		must(client.Jobs.DeleteByJobId(ctx, jobID))
		_, err := client.Jobs.GetByJobId(ctx, jobID)
		return strings.ReplaceAll(fmt.Sprint(err), strconv.FormatInt(jobID, 10), "N")
	})
}

func clusterSteps() {
	step("clusters are chosen by their properties, created, edited, restarted and stopped", func() any {
		node := check(client.Clusters.SelectNodeType(ctx, compute.NodeTypeRequest{LocalDisk: true, MinCores: 2}))
		version := check(client.Clusters.SelectSparkVersion(ctx, compute.SparkVersionRequest{Latest: true, LongTermSupport: true}))
		cluster := check(client.Clusters.CreateAndWait(ctx, compute.CreateCluster{
			ClusterName: "scenario", SparkVersion: version, NodeTypeId: node, NumWorkers: 1,
		}))
		edited := check(client.Clusters.EditAndWait(ctx, compute.EditCluster{
			ClusterId: cluster.ClusterId, ClusterName: "edited", SparkVersion: version, NodeTypeId: node, NumWorkers: 2,
		}))
		restarted := check(client.Clusters.RestartAndWait(ctx, compute.RestartCluster{ClusterId: cluster.ClusterId}))
		running := 0
		for _, one := range check(client.Clusters.ListAll(ctx, compute.ListClustersRequest{
			FilterBy: &compute.ListClustersFilterBy{ClusterStates: []compute.State{compute.StateRunning}},
		})) {
			if one.ClusterId == cluster.ClusterId {
				running++
			}
		}
		stopped := check(client.Clusters.DeleteByClusterIdAndWait(ctx, cluster.ClusterId))
		must(client.Clusters.EnsureClusterIsRunning(ctx, cluster.ClusterId))
		events := check(client.Clusters.EventsAll(ctx, compute.GetEvents{ClusterId: cluster.ClusterId}))
		must(client.Clusters.PermanentDeleteByClusterId(ctx, cluster.ClusterId))
		return []any{cluster.State, edited.ClusterName, edited.NumWorkers, restarted.State, running, stopped.State, len(events) > 3}
	})
	step("zones, node types and runtime versions are listed", func() any {
		zones := check(client.Clusters.ListZones(ctx))
		return []any{zones.DefaultZone != "", len(check(client.Clusters.ListNodeTypes(ctx)).NodeTypes) > 0,
			len(check(client.Clusters.SparkVersions(ctx)).Versions) > 0}
	})
}

func tokenSteps() {
	step("tokens are created, listed and revoked", func() any {
		created := check(client.Tokens.Create(ctx, settings.CreateTokenRequest{Comment: "scenario", LifetimeSeconds: 3600}))
		before := len(check(client.Tokens.ListAll(ctx)))
		must(client.Tokens.DeleteByTokenId(ctx, created.TokenInfo.TokenId))
		return before - len(check(client.Tokens.ListAll(ctx)))
	})
}

func main() {
	fileSteps()
	jobSteps()
	clusterSteps()
	tokenSteps()
	_ = os.Stdout.Sync()
}
