/** Commands that act on one cluster, pipeline, token, destination or delivery. */
import { Type } from 'typebox';
import { confirm } from '../../client/confirm.ts';
import { printDocument, type OutputOptions } from '../../output/print-result.ts';
import { printDiagnostic } from '../print-line.ts';
import { callService } from '../service-client.ts';
import { actions, documentPaths, type Action, type ActionName } from './resource-actions.ts';

/** Applies an action to the resource with an id. Resolves with the exit code. @throws CommandError */
export async function actOn(name: ActionName, id: string, { yes }: { readonly yes?: true }): Promise<number> {
  const action: Action = actions[name];
  if (action.question !== undefined && !(await confirm(action.question(id), yes))) return 1;
  const body = action.field === undefined ? {} : { [action.field]: id };
  await callService(Type.Object({}), action.method, action.path(id), {
    ...(action.method === 'POST' && { body }),
  });
  printDiagnostic(action.done(id));
  return 0;
}

/** Prints the document of a resource. Resolves with the exit code. @throws CommandError */
export async function getResource(
  kind: keyof typeof documentPaths,
  id: string,
  options: OutputOptions,
): Promise<number> {
  printDocument(await callService(Type.Object({}), 'GET', documentPaths[kind](id)), options);
  return 0;
}

const Update = Type.Object({ update_id: Type.String() });

/** Starts an update of a pipeline and prints its id. Resolves with the exit code. @throws CommandError */
export async function startPipeline(
  id: string,
  { fullRefresh }: { readonly fullRefresh?: true },
): Promise<number> {
  const { update_id: update } = await callService(
    Update,
    'POST',
    `/pipelines/${encodeURIComponent(id)}/updates`,
    { body: { full_refresh: fullRefresh === true } },
  );
  process.stdout.write(`${update}\n`);
  return 0;
}
