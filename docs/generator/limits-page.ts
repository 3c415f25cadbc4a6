/** `reference/limits.md`: every table of limits that `engine/limits.ts` exports. */
import * as limitsModule from '../../engine/limits.ts';
import { capitalize, code, escapeCell, renderTable } from './markdown.ts';
import { readPropertyComments } from './source-text.ts';

const sourcePath = 'engine/limits.ts';

/** Renders the page. */
export function renderLimitsPage(): string {
  const fixed = listTables().filter(([name]) => name !== 'defaultLimits');
  return [
    '# Limits',
    [
      `Limits are declared in \`${sourcePath}\`. Sizes are binary (1 MB = 1,048,576 bytes). A request that exceeds a limit is`,
      'refused with a message that names the limit.',
    ].join('\n'),
    '## Configurable limits',
    '`RUNYARD_LIMITS` lowers these limits, and raises those that end in `Min`: `RUNYARD_LIMITS=\'{"savedJobs": 100}\'`.',
    renderLimits('defaultLimits', limitsModule.defaultLimits),
    ...(fixed.length === 0 ? [] : ['## Fixed limits', 'These limits cannot be configured.']),
    ...fixed.map(([name, table]) => renderLimits(name, table)),
  ].join('\n\n');
}

type LimitTable = Readonly<Record<string, number>>;

/** Returns the exported tables of limits by name. */
function listTables(): [string, LimitTable][] {
  const exported: Readonly<Record<string, unknown>> = limitsModule;
  return Object.entries(exported).flatMap(([name, value]): [string, LimitTable][] =>
    isLimitTable(value) ? [[name, value]] : [],
  );
}

function isLimitTable(value: unknown): value is LimitTable {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).every((limit) => typeof limit === 'number')
  );
}

/** Renders one table. Descriptions are the comments of the source. */
function renderLimits(table: string, limits: LimitTable): string {
  const comments = readPropertyComments(sourcePath, table);
  return renderTable(
    ['Limit', 'Value', 'Applies to'],
    Object.entries(limits).map(([name, value]) => [
      code(name),
      formatValue(name, value),
      escapeCell(cleanComment(comments.get(name) ?? '') || `${describeName(name)}.`),
    ]),
  );
}

/** Removes references to the specification and the unit, which the value shows. */
function cleanComment(comment: string): string {
  return comment
    .replaceAll(/ ?\(spec [^)]*\)/g, '')
    .replaceAll(/, (?:bytes|ms|seconds|hours|days)(?=[.;]|$)/g, '');
}

/** Returns the words of a name in camel case, for a limit without a comment. */
function describeName(name: string): string {
  return capitalize(name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`));
}

/** Formats a value with the unit in which its name ends. */
function formatValue(name: string, value: number): string {
  const unit = /(?:Bytes|Megabytes|Gigabytes|Ms|Seconds|Hours|Days)(?=$|Min$|Max$)/.exec(name)?.[0];
  switch (unit) {
    case 'Bytes':
      return formatBytes(value);
    case 'Megabytes':
      return formatBytes(value * 2 ** 20);
    case 'Gigabytes':
      return `${value.toLocaleString('en-US')} GB`;
    case 'Ms':
      return formatDuration(value / 1_000);
    case 'Seconds':
      return formatDuration(value);
    case 'Hours':
      return `${value} hours`;
    case 'Days':
      return `${value} days`;
    default:
      return value.toLocaleString('en-US');
  }
}

function formatBytes(bytes: number): string {
  if (bytes % 2 ** 20 === 0) return `${(bytes / 2 ** 20).toLocaleString('en-US')} MB`;
  if (bytes % 2 ** 10 === 0 && bytes > 2 ** 13) return `${bytes / 2 ** 10} KB`;
  return `${bytes.toLocaleString('en-US')} bytes`;
}

function formatDuration(seconds: number): string {
  const hours = seconds / 3_600;
  if (hours >= 48 && hours % 24 === 0) return `${hours / 24} days`;
  if (hours > 1 && Number.isInteger(hours)) return `${hours} hours`;
  if (seconds > 120 && seconds % 60 === 0) return `${seconds / 60} minutes`;
  return `${seconds} s`;
}
