// Command terraform-provider plans, applies, refreshes, plans again and destroys resources of the Terraform provider,
// as terraform itself does with the provider's code.
package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"sort"

	"github.com/databricks/databricks-sdk-go/client"
	"github.com/databricks/databricks-sdk-go/config"
	"github.com/databricks/terraform-provider-databricks/clusters"
	"github.com/databricks/terraform-provider-databricks/common"
	"github.com/databricks/terraform-provider-databricks/jobs"
	"github.com/databricks/terraform-provider-databricks/permissions"
	"github.com/databricks/terraform-provider-databricks/storage"
	"github.com/databricks/terraform-provider-databricks/tokens"
	"github.com/databricks/terraform-provider-databricks/workspace"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
	"github.com/hashicorp/terraform-plugin-sdk/v2/terraform"
)

type values = map[string]any

var (
	ctx  = context.Background()
	meta *common.DatabricksClient
)

// check ends a step with an error.
func check[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// resource is one resource of a configuration with its state.
type resource struct {
	code  *schema.Resource
	state *terraform.InstanceState
}

// apply plans and applies a configuration; it returns whether there was something to change.
func (r *resource) apply(settings values) bool {
	plan := check(r.code.Diff(ctx, r.state, terraform.NewResourceConfigRaw(settings), meta))
	if plan == nil || plan.Empty() {
		return false
	}
	state, problems := r.code.Apply(ctx, r.state, plan, meta)
	if problems.HasError() {
		panic(fmt.Errorf("%s: %s", problems[0].Summary, problems[0].Detail))
	}
	r.state = state
	return true
}

// drift refreshes the state and returns the attributes that a second plan would change.
func (r *resource) drift(settings values) []string {
	state, problems := r.code.RefreshWithoutUpgrade(ctx, r.state, meta)
	if problems.HasError() {
		panic(fmt.Errorf("%s: %s", problems[0].Summary, problems[0].Detail))
	}
	r.state = state
	changed := []string{}
	plan := check(r.code.Diff(ctx, r.state, terraform.NewResourceConfigRaw(settings), meta))
	if plan != nil && !plan.Empty() {
		for name, change := range plan.Attributes {
			changed = append(changed, fmt.Sprintf("%s: %q -> %q", name, change.Old, change.New))
		}
	}
	sort.Strings(changed)
	return changed
}

// destroy deletes the resource and returns whether a refresh finds it gone.
func (r *resource) destroy() bool {
	old := r.state
	_, problems := r.code.Apply(ctx, r.state, &terraform.InstanceDiff{Destroy: true}, meta)
	if problems.HasError() {
		panic(fmt.Errorf("%s: %s", problems[0].Summary, problems[0].Detail))
	}
	found, _ := r.code.RefreshWithoutUpgrade(ctx, old, meta)
	return found == nil || found.ID == ""
}

// lifecycle applies a configuration and a changed one, looks for drift after each, and destroys the resource.
func lifecycle(code common.Resource, first, second values) any {
	r := &resource{code: code.ToResource()}
	created := r.apply(first)
	drifts := [][]string{r.drift(first)}
	if second != nil {
		r.apply(second)
		drifts = append(drifts, r.drift(second))
	}
	return values{"created": created, "drift": drifts, "destroyed": r.destroy()}
}

func step(name string, action func() any) {
	line := values{"step": name}
	func() {
		defer func() {
			if failure := recover(); failure != nil {
				line["error"] = fmt.Sprint(failure)
			}
		}()
		line["value"] = action()
	}()
	fmt.Println(string(check(json.Marshal(line))))
}

func newCluster() []any {
	return []any{values{"spark_version": "16.4.x-scala2.12", "node_type_id": "standard-2", "num_workers": 1}}
}

func pythonTask(word string) values {
	file := values{"python_file": "dbfs:/terraform/program.py", "parameters": []any{word}}
	return values{"task_key": word, "new_cluster": newCluster(), "spark_python_task": []any{file}}
}

func main() {
	meta = &common.DatabricksClient{DatabricksClient: check(client.New(&config.Config{}))}
	step("databricks_dbfs_file", func() any {
		content := base64.StdEncoding.EncodeToString(make([]byte, 1_500_000))
		settings := values{"path": "/terraform/data.bin", "content_base64": content}
		return lifecycle(storage.ResourceDbfsFile(), settings, nil)
	})
	step("databricks_file of a volume", func() any {
		file := func(text string) values {
			content := base64.StdEncoding.EncodeToString([]byte(text))
			return values{"path": "/Volumes/main/default/terraform/a b.txt", "content_base64": content}
		}
		return lifecycle(storage.ResourceFile(), file("one"), file("two!"))
	})
	step("databricks_notebook", func() any {
		content := func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }
		notebook := func(text string) values {
			return values{"path": "/terraform/greet", "language": "PYTHON", "content_base64": content(text)}
		}
		return lifecycle(workspace.ResourceNotebook(), notebook("print(1)\n"), notebook("print(2)\n"))
	})
	step("databricks_job with tasks", func() any {
		second := pythonTask("b")
		second["depends_on"] = []any{values{"task_key": "a"}}
		first := values{"name": "graph", "max_concurrent_runs": 2, "task": []any{pythonTask("a"), second}}
		changed := values{"name": "renamed", "max_concurrent_runs": 2, "task": []any{pythonTask("a")}}
		return lifecycle(jobs.ResourceJob(), first, changed)
	})
	step("databricks_job with one task in version 2.0", func() any {
		file := values{"python_file": "dbfs:/terraform/program.py"}
		job := func(name string) values {
			return values{"name": name, "new_cluster": newCluster(), "spark_python_task": []any{file}}
		}
		return lifecycle(jobs.ResourceJob(), job("single"), job("renamed"))
	})
	step("databricks_permissions of a job", func() any {
		job := &resource{code: jobs.ResourceJob().ToResource()}
		job.apply(values{"name": "shared", "task": []any{pythonTask("a")}})
		access := func(level string) values {
			entry := values{"group_name": "users", "permission_level": level}
			return values{"job_id": job.state.ID, "access_control": []any{entry}}
		}
		return lifecycle(permissions.ResourcePermissions(), access("CAN_VIEW"), access("CAN_MANAGE_RUN"))
	})
	step("databricks_cluster", func() any {
		cluster := func(workers int) values {
			return values{
				"cluster_name": "terraform", "spark_version": "16.4.x-scala2.12", "node_type_id": "standard-2",
				"num_workers": workers, "autotermination_minutes": 60,
			}
		}
		return lifecycle(clusters.ResourceCluster(), cluster(1), cluster(2))
	})
	step("databricks_token", func() any {
		return lifecycle(tokens.ResourceToken(), values{"comment": "terraform", "lifetime_seconds": 3600}, nil)
	})
}
