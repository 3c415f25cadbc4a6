/** Values of the parameters of a job in one run. */
import type { JobParameter } from '../job/settings.ts';
import { resolveReferences, type RunFacts } from './dynamic-values.ts';
import type { Run } from './run.ts';

/** Returns the job parameters, in the order of the job, with their resolved values in this run. */
export function jobParametersOf(run: Run, facts: RunFacts): (JobParameter & { readonly value: string })[] {
  const given = new Map(Object.entries(run.overridingParameters?.job_parameters ?? {}));
  return (run.settings.parameters ?? []).map((parameter) => {
    const raw = given.get(parameter.name) ?? parameter.default;
    const resolved = resolveReferences(raw, { run: facts, task: undefined });
    return { ...parameter, value: 'error' in resolved ? raw : resolved.text };
  });
}
