/** What a run was given: values of the job's parameters, and parameters for its tasks. */
import type { Run } from '../api/documents.ts';
import { textOf } from '../job/task-work.ts';
import { Facts, type Fact } from '../parts/facts.tsx';

export function RunParameters({ run }: { readonly run: Run }) {
  const own = (run.job_parameters ?? []).map(({ name, value }): Fact => [
    name,
    <code key={name}>{value}</code>,
  ]);
  const known = new Set((run.job_parameters ?? []).map(({ name }) => name));
  const given = Object.entries(run.overriding_parameters ?? {}).flatMap(([field, value]) =>
    field === 'job_parameters' && Object.keys(Object(value)).every((name) => known.has(name))
      ? []
      : entriesOf(field, value),
  );
  if (own.length + given.length === 0) return null;
  return (
    <section aria-labelledby="parameters-title">
      <h2 id="parameters-title">Parameters</h2>
      <Facts facts={[...own, ...given]} />
    </section>
  );
}

/** A map is shown entry by entry, a list as one line. */
function entriesOf(field: string, value: unknown): Fact[] {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return Object.entries(value).map(([name, text]): Fact => [
      `${field}: ${name}`,
      <code key={name}>{textOf(text)}</code>,
    ]);
  }
  return [[field, <code key={field}>{textOf(value)}</code>]];
}
