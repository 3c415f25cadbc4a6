/** Parameters of a run: values of the job parameters, and overrides for its tasks. */
import type { Run } from '../api/documents.ts';
import { toText } from '../job/task-summary.ts';
import { DescriptionList, type DescriptionItem } from '../parts/description-list.tsx';

export function RunParameters({ run }: { readonly run: Run }) {
  const own = (run.job_parameters ?? []).map(({ name, value }): DescriptionItem => [
    name,
    <code key={name}>{value}</code>,
  ]);
  const known = new Set((run.job_parameters ?? []).map(({ name }) => name));
  const given = Object.entries(run.overriding_parameters ?? {}).flatMap(([field, value]) =>
    field === 'job_parameters' && Object.keys(Object(value)).every((name) => known.has(name))
      ? []
      : listEntries(field, value),
  );
  if (own.length + given.length === 0) return null;
  return (
    <section aria-labelledby="parameters-title">
      <h2 id="parameters-title">Parameters</h2>
      <DescriptionList facts={[...own, ...given]} />
    </section>
  );
}

/** Lists a map by entry and a list as one item. */
function listEntries(field: string, value: unknown): DescriptionItem[] {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return Object.entries(value).map(([name, text]): DescriptionItem => [
      `${field}: ${name}`,
      <code key={name}>{toText(text)}</code>,
    ]);
  }
  return [[field, <code key={field}>{toText(value)}</code>]];
}
