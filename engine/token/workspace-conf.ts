/** Settings of the workspace that administrators can change at any time. */
import { invalid } from '../errors.ts';
import { quote } from '../validation/messages.ts';

interface WorkspaceSetting {
  readonly defaultValue: string;
  readonly isValue: (text: string) => boolean;
  /** Rule for the value, in words. */
  readonly rule: string;
  readonly description: string;
}

const booleanText = {
  isValue: (text: string) => text === 'true' || text === 'false',
  rule: '"true" or "false"',
};

/** Name -> setting. Values are strings, as clients send them. */
export const workspaceSettings = {
  enableTokensConfig: {
    ...booleanText,
    defaultValue: 'true',
    description: 'Allows users to create and use tokens. Administrators are always allowed.',
  },
  maxTokenLifetimeDays: {
    isValue: (text: string) => text === '' || /^[1-9]\d{0,5}$/.test(text),
    rule: 'a whole number of days of at least 1, or "" for the default maximum',
    defaultValue: '',
    description: 'Maximum lifetime of new tokens in days; empty for the default maximum.',
  },
  enableTokenAutoscoping: {
    ...booleanText,
    defaultValue: 'false',
    description:
      'Applies auto-scoping to existing all-apis tokens: observes them and restricts them to the scopes that they used.',
  },
} as const satisfies Readonly<Record<string, WorkspaceSetting>>;

export type WorkspaceSettingName = keyof typeof workspaceSettings;
export type WorkspaceConf = Readonly<Record<WorkspaceSettingName, string>>;

/** Returns all settings, with defaults for those that are not stored. */
export function workspaceConfOf(stored: ReadonlyMap<string, string>): WorkspaceConf {
  const valueOf = (name: WorkspaceSettingName): string =>
    stored.get(name) ?? workspaceSettings[name].defaultValue;
  return {
    enableTokensConfig: valueOf('enableTokensConfig'),
    maxTokenLifetimeDays: valueOf('maxTokenLifetimeDays'),
    enableTokenAutoscoping: valueOf('enableTokenAutoscoping'),
  };
}

/** @throws ServiceError for an unknown name */
export function parseSettingName(name: string): WorkspaceSettingName {
  if (isSettingName(name)) return name;
  throw invalid(
    `${quote(name)} is not a workspace setting; the name must be one of ${Object.keys(workspaceSettings).join(', ')}.`,
  );
}

/** Parses the settings to change. @throws ServiceError for an unknown name and for an invalid value */
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
    throw invalid(
      `The request changes no setting; give at least one of ${Object.keys(workspaceSettings).join(', ')}.`,
    );
  return Object.fromEntries(entries);
}

/** Returns the maximum lifetime of a new token, seconds. */
export function tokenLifetimeSecondsMax(
  { maxTokenLifetimeDays: days }: WorkspaceConf,
  limit: number,
): number {
  return days === '' ? limit : Math.min(limit, Number(days) * 86_400);
}

function isSettingName(name: string): name is WorkspaceSettingName {
  return Object.hasOwn(workspaceSettings, name);
}
