/** `reference/fields.md`: support of every documented field of the API, from the tables of `engine/job/fields`. */
import { documentedFields } from '../../engine/job/fields/documented-fields.ts';
import type { FieldSupport, FieldTable } from '../../engine/job/fields/field-support.ts';
import { code, escapeCell, renderTable } from './markdown.ts';

const stateTexts: Readonly<Record<FieldSupport['state'], string>> = {
  works: 'works',
  stored: 'stored only',
  refused: '**refused**',
};

/** Renders the page. */
export function renderFieldsPage(): string {
  return [
    '# Documented fields',
    [
      'Nothing is accepted and ignored. Every field that the vendor of this API documents for `jobs/create`, `update`,',
      '`reset`, `runs/submit`, `run-now` and `runs/repair`, and for clusters, instance pools, policies and pipelines, is in one',
      'of three states:',
    ].join('\n'),
    [
      '- **works**: the field has its documented meaning.',
      '- **refused**: the request fails with status 400 and a message that names the field. Empty values count as absent.',
      '- **stored only**: the field is a hint, or is meant for another system. It is returned as it was written and has no',
      '  effect.',
    ].join('\n'),
    [
      'A test takes the fields from unmodified SDKs, the TypeScript SDK in `npm test` and the newer Python SDK in',
      '`npm run online`, sends each to the service, and checks its state against these tables. A field that is not',
      'documented at all is kept and returned.',
    ].join('\n'),
    '## Stored only',
    'These fields have no effect:',
    renderTable(['Field', 'Reason'], listRows('stored')),
    '## Refused',
    renderTable(['Field', 'Rule'], listRows('refused')),
    '## All fields',
    ...Object.entries<FieldTable>(documentedFields).map(([object, table]) =>
      [
        `### ${object}`,
        renderTable(
          ['Field', 'Support', 'Note'],
          Object.entries(table).map(([field, { state, note }]) => [
            code(field),
            stateTexts[state],
            escapeCell(note),
          ]),
        ),
      ].join('\n\n'),
    ),
  ].join('\n\n');
}

/** Lists the fields of a state in all objects, with their notes. */
function listRows(state: FieldSupport['state']): string[][] {
  return Object.entries<FieldTable>(documentedFields).flatMap(([object, table]) =>
    Object.entries(table)
      .filter(([, support]) => support.state === state)
      .map(([field, { note }]) => [code(`${object}.${field}`), escapeCell(note)]),
  );
}
