/** `reference/operations.md` and `reference/schemas.md`, from the OpenAPI document. */
import { canonicalPath } from '../../engine/validation/aliases.ts';
import type { ApiDocument, DescribedOperation, Schema } from './api-document.ts';
import { escapeCell, renderTable } from './markdown.ts';
import { describeType, renderFields } from './render-schema.ts';

/** One operation with every version that has it. */
interface OperationEntry {
  readonly method: string;
  readonly path: string;
  readonly section: string;
  readonly versions: readonly string[];
  readonly aliases: readonly string[];
  /** As the newest version describes it. */
  readonly described: DescribedOperation;
}

/** Renders the page of all operations, by section. */
export function renderOperationsPage(document: ApiDocument): string {
  const entries = listOperations(document);
  const sections = [...new Set(entries.map(({ section }) => section))];
  return [
    '# Operations',
    introduction,
    '## Overview',
    renderTable(
      ['Operation', 'Versions', 'Summary'],
      entries.map((entry) => [
        `\`${entry.method} ${entry.path}\``,
        entry.versions.join(', '),
        `[${escapeCell(entry.described.summary)}](#${slugOf(headingOf(entry, entries))})`,
      ]),
    ),
    ...sections.flatMap((section) => [
      `## ${section}`,
      ...entries
        .filter((entry) => entry.section === section)
        .map((entry) => renderOperation(entry, headingOf(entry, entries), document)),
    ]),
    otherPaths,
  ].join('\n\n');
}

const introduction = `Every request carries \`Authorization: Bearer <token>\`, or Basic authentication with the token as the password.
A running service serves the same description as OpenAPI 3.1 at \`/api/openapi.json\`, and as pages with
examples at \`/api/docs\`. Paths below are relative to \`/api/<version>/\`. Types link to [schemas](./schemas.md).

Version 2.0 shows a job in the format in which it was created. Versions 2.1 and 2.2 accept multi-task jobs only
and show every job in that format; a single-task job appears with one task named \`main\`. Version 2.2 is 2.1
with \`queue\` enabled by default.`;

const otherPaths = `## Paths outside the API

| Path | Content | Token |
|---|---|---|
| \`/\`, \`/jobs/<job_id>/runs/<run_id>\` | The [console](../guides/console.md); its files hold no data | no |
| \`/healthz\` | 200 while the process is alive | no |
| \`/readyz\` | 200 when the service can take runs | no |
| \`/metrics\` | Metrics for Prometheus | yes, unless \`RUNYARD_METRICS_OPEN\` |
| \`/api/openapi.json\`, \`/api/docs\` | Description of the API | no |`;

/** Renders the page of all named schemas. */
export function renderSchemasPage({ components: { schemas } }: ApiDocument): string {
  return [
    '# Schemas',
    'Objects that requests and answers of the [operations](./operations.md) share.',
    ...Object.entries(schemas).map(([name, schema]) =>
      [
        `## ${name}`,
        escapeCell(schema.description ?? ''),
        renderFields(schema, schemas) || `Type: ${describeType(schema)}`,
      ]
        .filter((part) => part !== '')
        .join('\n\n'),
    ),
  ].join('\n\n');
}

/**
 * Returns the operations in the order of the sections; an alias joins the operation of its canonical path.
 */
function listOperations(document: ApiDocument): OperationEntry[] {
  const entries = new Map<string, OperationEntry>();
  for (const [url, methods] of Object.entries(document.paths)) {
    const [, version = '', written = ''] = /^\/api\/([\d.]+)(\/.+)$/.exec(url) ?? [];
    const path = canonicalPath(written).slice(1);
    for (const [method, described] of Object.entries(methods)) {
      const key = `${method.toUpperCase()} ${path}`;
      const known = entries.get(key);
      const versions = [...new Set([...(known?.versions ?? []), version])].toSorted();
      const aliases = [...(known?.aliases ?? []), ...(`/${path}` === written ? [] : [written.slice(1)])];
      const section = withoutVersion(described.tags[0] ?? 'Other');
      entries.set(key, { method: method.toUpperCase(), path, section, versions, aliases, described });
    }
  }
  const order = new Map(document.tags.map(({ name }, index) => [withoutVersion(name), index]));
  const orderOf = ({ section }: OperationEntry): number => order.get(section) ?? order.size;
  return [...entries.values()].toSorted((one, other) => orderOf(one) - orderOf(other));
}

function withoutVersion(section: string): string {
  return section.replace(/ 2\.\d$/, '');
}

/** Returns the summary, with the section or the method where several operations share the summary. */
function headingOf(entry: OperationEntry, entries: readonly OperationEntry[]): string {
  const same = entries.filter(({ described }) => described.summary === entry.described.summary);
  if (same.length === 1) return entry.described.summary;
  const detail = same.every(({ section }) => section === entry.section) ? entry.method : entry.section;
  return `${entry.described.summary} (${detail})`;
}

function renderOperation(entry: OperationEntry, heading: string, document: ApiDocument): string {
  const { method, path, versions, aliases, described } = entry;
  const parameters = described.parameters.map(({ name, schema, required, description }) => [
    `\`${name}\``,
    describeType(schema),
    required ? 'yes' : '',
    escapeCell(description ?? ''),
  ]);
  const body = described.requestBody?.content['application/json']?.schema;
  const alias = aliases.length === 0 ? '' : `; alias: ${aliases.map((name) => `\`${name}\``).join(', ')}`;
  return [
    `### ${heading}`,
    `\`${method} ${path}\` (${versions.join(', ')}${alias})`,
    escapeCell(described.description),
    parameters.length > 0 ? renderTable(['Parameter', 'Type', 'Required', 'Description'], parameters) : '',
    renderBody(body, document),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function renderBody(body: Schema | undefined, { components: { schemas } }: ApiDocument): string {
  if (body === undefined) return '';
  return body.$ref === undefined ? renderFields(body, schemas) : `Body: ${describeType(body)}.`;
}

/** Returns the anchor that both the site and hosted repositories give to a heading of words. */
function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^a-z0-9 -]/g, '')
    .replaceAll(' ', '-');
}
