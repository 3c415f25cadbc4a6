/** Parameters of a job in one run: the value that each has. */
import type { JobParameter } from '../job/settings.ts';
import { resolveReferences, type RunFacts } from './dynamic-values.ts';
import type { Run } from './run.ts';

/** The job's parameters in its order, each with its value in this run, references resolved. */
export function jobParametersOf(run: Run, facts: RunFacts): (JobParameter & { readonly value: string })[] {
  const given = new Map(Object.entries(run.overridingParameters?.job_parameters ?? {}));
  return (run.settings.parameters ?? []).map((parameter) => {
    const written = given.get(parameter.name) ?? parameter.default;
    const resolved = resolveReferences(written, { run: facts, task: undefined });
    return { ...parameter, value: 'error' in resolved ? written : resolved.text };
  });
}
