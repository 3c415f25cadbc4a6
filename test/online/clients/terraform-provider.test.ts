/**
 * The Terraform provider: its resources are planned, applied, refreshed, changed and destroyed by the provider's
 * own code. `drift` lists what a second plan would change.
 */
import { buildGoProgram } from './client-installs.ts';
import { describeClient } from './client-suite.ts';

const once = { created: true, drift: [[]], destroyed: true };
const changed = { created: true, drift: [[], []], destroyed: true };

describeClient('Terraform provider', {
  prepare: async () => [await buildGoProgram('terraform-provider')],
  expected: {
    databricks_dbfs_file: once,
    'databricks_file of a volume': changed,
    databricks_notebook: changed,
    'databricks_job with tasks': changed,
    'databricks_job with one task in version 2.0': changed,
    'databricks_permissions of a job': changed,
    databricks_cluster: changed,
    databricks_token: once,
  },
});
