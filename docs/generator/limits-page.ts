/** `reference/limits.md`: the limits of `engine/limits.ts`, and fixed limits that other files declare. */
import { defaultLimits, type LimitName } from '../../engine/limits.ts';
import { capitalize, code, escapeCell, renderTable } from './markdown.ts';
import { readConstant, readPropertyComments } from './source-text.ts';

type Unit = 'number' | 'bytes' | 'milliseconds';

/** Limits that cannot be configured: file, constant, unit and meaning. */
const fixedLimits: readonly (readonly [file: string, constant: string, unit: Unit, meaning: string])[] = [
  ['engine/job/permissions.ts', 'grantsMax', 'number', 'Entries of an `access_control_list`.'],
  ['engine/schedule/preview.ts', 'previewMax', 'number', 'Fire times that one schedule preview returns.'],
  [
    'engine/schedule/due-fires.ts',
    'minFireGapMs',
    'milliseconds',
    'Minimum distance of two fires of a schedule; a closer fire is dropped.',
  ],
  [
    'engine/schedule/due-fires.ts',
    'misfireThresholdMs',
    'milliseconds',
    'Delay after which a fire counts as missed.',
  ],
  ['engine/schedule/due-fires.ts', 'catchUpFiresMax', 'number', 'Missed fires that `FIRE_ALL` makes up for.'],
  [
    'engine/notification/delivery-retry.ts',
    'deliveryPeriodMs',
    'milliseconds',
    'Time during which a failed delivery is retried.',
  ],
  [
    'engine/notification/signature.ts',
    'previousSecretLifetimeMs',
    'milliseconds',
    'Time during which a rotated signing secret stays valid.',
  ],
  [
    'engine/token/token.ts',
    'unusedTokenLifetimeMs',
    'milliseconds',
    'Time without use after which a token is revoked.',
  ],
  [
    'engine/token/autoscope.ts',
    'observationPeriodMs',
    'milliseconds',
    'Observation period of automatic scopes.',
  ],
  ['storage/files/revisions.ts', 'revisionsMax', 'number', 'Revisions that are kept of a notebook.'],
  ['storage/files/roots.ts', 'nameBytesMax', 'bytes', 'Name of a file or folder.'],
];

/** Renders the page. */
export function renderLimitsPage(): string {
  const comments = readPropertyComments('engine/limits.ts', 'defaultLimits');
  return [
    '# Limits',
    [
      'Sizes are binary (1 MB = 1,048,576 bytes). A request that exceeds a limit is refused with a message that names',
      'the limit.',
    ].join('\n'),
    '## Configurable limits',
    [
      '`RUNYARD_LIMITS` lowers these limits: `RUNYARD_LIMITS=\'{"savedJobs": 100}\'`. They are declared in',
      '`engine/limits.ts`.',
    ].join('\n'),
    renderTable(
      ['Limit', 'Value', 'Applies to'],
      Object.entries(defaultLimits).map(([name, value]) => [
        code(name),
        formatValue(value, unitOf(name)),
        escapeCell(comments.get(name) || `${describeName(name)}.`),
      ]),
    ),
    '## Fixed limits',
    'These limits cannot be configured.',
    renderTable(
      ['Applies to', 'Value', 'Declared as'],
      fixedLimits.map(([file, constant, unit, meaning]) => [
        meaning,
        formatValue(readConstant(file, constant), unit),
        `\`${constant}\` in \`${file}\``,
      ]),
    ),
  ].join('\n\n');
}

function unitOf(name: string): Unit {
  return name.endsWith('Bytes') ? 'bytes' : 'number';
}

/** Returns the words of a name in camel case, for a limit without a comment. */
function describeName(name: LimitName | string): string {
  return capitalize(name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`));
}

function formatValue(value: number, unit: Unit): string {
  if (unit === 'milliseconds') return formatDuration(value);
  if (unit === 'bytes' && value % 2 ** 20 === 0) return `${value / 2 ** 20} MB`;
  if (unit === 'bytes' && value % 2 ** 10 === 0 && value > 2 ** 13) return `${value / 2 ** 10} KB`;
  return `${value.toLocaleString('en-US')}${unit === 'bytes' ? ' bytes' : ''}`;
}

function formatDuration(milliseconds: number): string {
  const hours = milliseconds / 3_600_000;
  if (hours > 24 && hours % 24 === 0) return `${hours / 24} days`;
  return hours >= 1 ? `${hours} hours` : `${milliseconds / 1_000} s`;
}
