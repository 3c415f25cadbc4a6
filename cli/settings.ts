/** Table of all settings, and its rendering as help text and as Markdown. */
import { executionSettings } from './settings/execution-settings.ts';
import { integrationSettings } from './settings/integration-settings.ts';
import { serviceSettings } from './settings/service-settings.ts';

/** All settings. The key in `runyard.json` is the variable in lower case, without `runyard_`. */
export const settings = { ...serviceSettings, ...executionSettings, ...integrationSettings };

/** Variable that names the settings file; not a setting itself. */
export const configFileVariable = 'RUNYARD_CONFIG';

/** Returns the key of a variable in the settings file. */
export function settingKeyOf(variable: string): string {
  return variable.toLowerCase().replace(/^runyard_/, '');
}

/** Renders the settings as text, one per line, for `runyard serve --help`. */
export function renderSettingsHelp(): string {
  const lines = listSettingRows();
  const width = (column: number): number => Math.max(...lines.map((line) => line[column]?.length ?? 0));
  const [name, value] = [width(0), width(1)];
  return lines
    .map(
      ([variable = '', defaultText = '', text = '']) =>
        `  ${variable.padEnd(name)}  ${defaultText.padEnd(value)}  ${text}`,
    )
    .join('\n');
}

/** Renders the settings as the lines of a Markdown table, which the documentation contains. */
export function renderSettingsTable(): string[] {
  const rows = listSettingRows().map(([variable = '', defaultText = '', text = '']) => {
    const key = variable === configFileVariable ? '' : `\`${settingKeyOf(variable)}\``;
    return `| \`${variable}\` | ${key} | ${defaultText} | ${text} |`;
  });
  return ['| Variable | Key in the file | Default | Meaning |', '|---|---|---|---|', ...rows];
}

/** Lists variable, default and description of each setting and of the settings file. */
function listSettingRows(): string[][] {
  const rows = Object.values(settings).map((setting) => [
    setting.variable,
    renderDefault(setting),
    setting.description,
  ]);
  return [
    ...rows,
    [
      configFileVariable,
      './runyard.json',
      'Settings file (JSON); its keys are these names in lower case without "runyard_".',
    ],
  ];
}

function renderDefault(setting: { defaultValue: unknown; defaultDescription?: string }): string {
  return setting.defaultDescription ?? String(setting.defaultValue);
}
