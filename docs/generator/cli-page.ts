/** `reference/cli.md`: the help of every command, as the command line prints it. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from './source-text.ts';

const run = promisify(execFile);

/** Renders the page. Starts the command line once for each command. */
export async function renderCliPage(): Promise<string> {
  return [
    '# Command line',
    [
      '`runyard` is the command of the package: `npx runyard <command>` in the project directory. Commands that need a',
      'service use the one that `RUNYARD_URL` and `RUNYARD_TOKEN` name, and otherwise the service that is configured in',
      'the working directory, with the token of the first administrator.',
    ].join('\n'),
    'Exit codes: 0 success, 1 failure, 2 wrong usage. `runyard logs -f` also exits with 3 when the run did not succeed, and with 130 after Ctrl-C.',
    ...(await renderCommands([])),
  ].join('\n\n');
}

/** Returns one section for the command and one for each of its subcommands, depth first. */
async function renderCommands(words: readonly string[]): Promise<string[]> {
  const help = await readHelp(words);
  const [, list = ''] = help.split('\nCommands:\n');
  const names = [...list.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name = '']) => name);
  const nested = await Promise.all(
    names.filter((name) => name !== 'help').map((name) => renderCommands([...words, name])),
  );
  return [`## ${['runyard', ...words].join(' ')}`, `\`\`\`text\n${help}\n\`\`\``, ...nested.flat()];
}

/** Returns the help of a command without the table of settings, which has a page of its own. */
async function readHelp(words: readonly string[]): Promise<string> {
  const { stdout } = await run(process.execPath, [join(projectRoot, 'cli/main.ts'), ...words, '--help'], {
    cwd: projectRoot,
    env: {},
  });
  return (stdout.split('\nSettings (')[0] ?? '').trimEnd();
}
