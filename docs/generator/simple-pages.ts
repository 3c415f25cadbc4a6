/** Reference pages that are one or two tables: settings, scopes, task kinds. */
import { renderSettingsTable } from '../../cli/settings.ts';
import { builtInKinds } from '../../engine/job/task-kinds.ts';
import { scopeDescriptions } from '../../engine/token/scopes.ts';
import type { ApiDocument } from './api-document.ts';
import { code, escapeCell, renderTable } from './markdown.ts';
import { describeType, renderFields, schemaNameOf } from './render-schema.ts';

/** Renders `reference/settings.md`. */
export function renderSettingsPage(): string {
  return [
    '# Settings',
    [
      'The service reads its settings once, at the start, from environment variables and from `runyard.json`; a variable',
      'takes precedence. Keys of the file are the variable names in lower case without `runyard_`. A wrong value or an',
      'unknown name stops the start with one line that names it and the nearest known name.',
    ].join('\n'),
    renderSettingsTable().join('\n'),
  ].join('\n\n');
}

/** Renders `reference/scopes.md`. */
export function renderScopesPage(): string {
  return [
    '# Token scopes',
    [
      'Each operation belongs to exactly one scope; [operations](./operations.md) names it. `GET /api/2.0/token-scopes`',
      'lists the operations of each scope. An unknown scope is refused. The operation `preview/scim/v2/Me` accepts any',
      'valid token.',
    ].join('\n'),
    renderTable(
      ['Scope', 'Permits'],
      Object.entries(scopeDescriptions).map(([name, meaning]) => [code(name), meaning]),
    ),
  ].join('\n\n');
}

/** Renders `reference/task-kinds.md`. */
export function renderTaskKindsPage(document: ApiDocument): string {
  const fields = document.components.schemas['TaskSettings']?.properties ?? {};
  return [
    '# Task kinds',
    [
      'A task has exactly one of these fields. [Plugins](../guides/plugins.md) add further kinds. A kind that needs a',
      'cluster requires `existing_cluster_id`, `new_cluster` or `job_cluster_key`.',
    ].join('\n'),
    renderTable(
      ['Kind', 'Needs a cluster'],
      builtInKinds.map(({ name, needsCluster }) => [`[\`${name}\`](#${name})`, needsCluster ? 'yes' : 'no']),
    ),
    ...builtInKinds.map(({ name }) => {
      const reference = fields[name] ?? {};
      const schema = document.components.schemas[schemaNameOf(reference)] ?? reference;
      return [
        `## ${name}`,
        escapeCell(schema.description ?? describeType(schema)),
        renderFields(schema, document.components.schemas),
      ].join('\n\n');
    }),
  ].join('\n\n');
}
