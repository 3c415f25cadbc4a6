/** Shell commands that no example runs: their settings are valid, and their subcommands exist. */
import { describe, expect, test } from 'vitest';
import { createConfig } from '../../cli/config.ts';
import { settings } from '../../cli/settings.ts';
import { documentationPages, pageAt } from './documentation-files.ts';

interface Command {
  readonly path: string;
  readonly line: string;
}

/** Lines of shell blocks without the marker of an example. */
const commands: readonly Command[] = documentationPages
  .filter(({ path }) => !path.startsWith('docs/reference/'))
  .flatMap(({ path, text }) =>
    [...text.matchAll(/^(.*)\n```sh\n([\s\S]*?)```/gm)]
      .filter(([, marker]) => !marker?.startsWith('<!-- example: '))
      .flatMap(([, , block = '']) => block.trim().split('\n'))
      .map((line) => ({ path, line })),
  );

/** `NAME=value` or `NAME='value with spaces'` before a command. */
const assignment = /([A-Z_]+)=(?:'([^']*)'|(\S+)) /g;

test('a shell block that is no example installs, starts, tests or diagnoses the service', () => {
  const known =
    /^(?:npm (?:ci|start|run|test)\b|npx (?:runyard (?:doctor|explain)|vitest|vite)\b|node (?:--[\w=-]+ )*(?:bench|cli)\/[\w/-]+\.ts\b|export RUNYARD_URL=\S+ RUNYARD_TOKEN=\$\(npx runyard token\)$)/;
  const others = commands.filter(({ line }) => !known.test(line.replaceAll(assignment, '')));
  expect(others.filter(({ line }) => !known.test(line))).toEqual([]);
});

describe('settings before npm start', () => {
  const starts = commands.filter(({ line }) => line.endsWith(' npm start'));

  test('are shown in the guides', () => {
    expect(starts.length).toBeGreaterThanOrEqual(5);
  });

  test.each(starts)('$line of $path is a valid configuration', ({ line }) => {
    const variables = Object.fromEntries(
      [...line.matchAll(assignment)].map(([, name = '', quoted, plain = '']) => [name, quoted ?? plain]),
    );
    const names = Object.values(settings).map(({ variable }) => variable);
    expect(names).toEqual(expect.arrayContaining(Object.keys(variables)));
    expect(() => createConfig(variables, {})).not.toThrow();
  });
});

test.each(documentationPages)('runyard commands that $path names exist', ({ text }) => {
  const reference = pageAt('docs/reference/cli.md').text;
  const named = [
    ...text.matchAll(/npx runyard ((?:[a-z]+)(?: (?:create|add|import|migrate|preview|list))?)\b/g),
  ];
  expect(
    named.map(([, name = '']) => name).filter((name) => !reference.includes(`## runyard ${name}\n`)),
  ).toEqual([]);
});
