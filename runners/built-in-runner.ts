/** Runners of the built-in task kinds, in the form of the plugin contract. */
import { taskKindTable, type RunnerKind, type TaskBody } from '../engine/job/task-kinds.ts';
import { contractVersion, type RunnerPlugin } from './contract.ts';

/** Runner of one built-in kind. */
export interface BuiltInRunner<Kind extends RunnerKind> extends RunnerPlugin<TaskBody<Kind>> {
  readonly kind: Kind;
}

/** Creates the runner of a built-in kind. Its schema and `needsCluster` come from the task-kind table. */
export function defineRunner<Kind extends RunnerKind>(
  kind: Kind,
  run: BuiltInRunner<Kind>['run'],
): BuiltInRunner<Kind> {
  const { schema, needsCluster } = taskKindTable[kind];
  return { contract: contractVersion, kind, schema, needsCluster, run };
}
