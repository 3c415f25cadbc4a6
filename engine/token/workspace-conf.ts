/**
 * Settings of the workspace that administrators change while it runs: a table of their names, values and
 * meaning.
 */
import { invalid } from '../errors.ts';
import { quote } from '../validation/messages.ts';

interface WorkspaceSetting {
  readonly defaultValue: string;
  readonly isValue: (text: string) => boolean;
  /** What a value must be, in words. */
  readonly rule: string;
  readonly description: string;
}

const yesOrNo = { isValue: (text: string) => text === 'true' || text === 'false', rule: '"true" or "false"' };

/** Name -> setting. Values are texts, as clients send them. */
export const workspaceSettings = {
  enableTokensConfig: {
    ...yesOrNo,
    defaultValue: 'true',
    description: 'Whether people may make and use tokens; administrators always may.',
  },
  maxTokenLifetimeDays: {
    isValue: (text: string) => text === '' || /^[1-9]\d{0,5}$/.test(text),
    rule: 'a whole number of days from 1, or "" for the longest there is',
    defaultValue: '',
    description: 'The longest life of new tokens, in days; empty: that of the limits.',
  },
  enableTokenAutoscoping: {
    ...yesOrNo,
    defaultValue: 'false',
    description:
      'Whether the all-apis tokens that there are be observed, too, and narrowed to what they are used for.',
  },
} as const satisfies Readonly<Record<string, WorkspaceSetting>>;

export type WorkspaceSettingName = keyof typeof workspaceSettings;
export type WorkspaceConf = Readonly<Record<WorkspaceSettingName, string>>;

/** Every setting, where nothing was stored its default. */
export function workspaceConfOf(stored: ReadonlyMap<string, string>): WorkspaceConf {
  const valueOf = (name: WorkspaceSettingName): string =>
    stored.get(name) ?? workspaceSettings[name].defaultValue;
  return {
    enableTokensConfig: valueOf('enableTokensConfig'),
    maxTokenLifetimeDays: valueOf('maxTokenLifetimeDays'),
    enableTokenAutoscoping: valueOf('enableTokenAutoscoping'),
  };
}

/** @throws ServiceError that lists the names which there are */
export function parseSettingName(name: string): WorkspaceSettingName {
  if (isSettingName(name)) return name;
  throw invalid(
    `${quote(name)} is no setting of the workspace; there are ${Object.keys(workspaceSettings).join(', ')}.`,
  );
}

/** What is to be changed. @throws ServiceError for an unknown name and for a value that breaks its rule */
export function parseWorkspaceConf(given: Readonly<Record<string, unknown>>): Partial<WorkspaceConf> {
  const entries = Object.entries(given).map(([key, value]): [WorkspaceSettingName, string] => {
    const name = parseSettingName(key);
    const text = typeof value === 'boolean' || typeof value === 'number' ? String(value) : value;
    const { isValue, rule } = workspaceSettings[name];
    if (typeof text !== 'string' || !isValue(text))
      throw invalid(`${name} is ${quote(value)}; it must be ${rule}.`);
    return [name, text];
  });
  if (entries.length === 0)
    throw invalid(`Nothing is to be changed; name one of ${Object.keys(workspaceSettings).join(', ')}.`);
  return Object.fromEntries(entries);
}

/** The longest life of a new token, seconds. */
export function tokenLifetimeSecondsMax({ maxTokenLifetimeDays: days }: WorkspaceConf, most: number): number {
  return days === '' ? most : Math.min(most, Number(days) * 86_400);
}

function isSettingName(name: string): name is WorkspaceSettingName {
  return Object.hasOwn(workspaceSettings, name);
}
