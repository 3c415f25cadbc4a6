/** The command `runyard`: reads the command line and hands over to one of the commands. */
import { readFileSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { messageOf } from '../engine/errors.ts';
import { fixedLimits, defaultLimits } from '../engine/limits.ts';
import { ConfigError } from './config.ts';
import type { BundleOptions } from './commands/bundle.ts';
import type { MigrateOptions } from './commands/dashboards.ts';
import type { DemoOptions } from './demo/demo.ts';
import type { LogsOptions } from './commands/logs.ts';
import type { PreviewOptions } from './commands/schedule-preview.ts';
import { ignoreBrokenPipes, printDiagnostic } from './commands/print-line.ts';
import { renderSettingsHelp } from './settings.ts';
import type { ServeOptions } from './serve.ts';
import type { TokenOptions } from './commands/token-create.ts';
import type { UserOptions } from './commands/user.ts';
import { CommandError } from './start-error.ts';

/** Exit codes: 0 done, 1 failed, 2 wrong usage. */
async function main(words: readonly string[]): Promise<number> {
  let code = 0;
  const finish = (commandCode: number): void => {
    code = commandCode;
  };
  try {
    await buildProgram(finish).parseAsync(words, { from: 'user' });
    return code;
  } catch (error) {
    return reportError(error);
  }
}

/** Each command is loaded when it is asked for: `runyard token` needs no service. */
function buildProgram(finish: (code: number) => void): Command {
  const program = new Command('runyard')
    .description('A self-hosted job execution engine.')
    .version(readPackageVersion())
    .exitOverride()
    // Commander's text comes with the exception, and is said there in one line.
    .configureOutput({ outputError: () => undefined });
  program
    .command('serve')
    .description('start the service; it is configured by variables and a file, see `runyard serve --help`')
    .option(
      '--drain',
      'when told to stop, wait for the running tasks instead of leaving them to the next start',
    )
    .addHelpText(
      'after',
      () =>
        `\nSettings (a variable wins over the file; an empty one counts as unset):\n${renderSettingsHelp()}`,
    )
    .action(async (options: ServeOptions) => finish(await (await import('./serve.ts')).runServe(options)));
  program
    .command('demo')
    .description('start an engine of its own, run the weather example on it and show how it goes')
    .option('--data-dir <directory>', 'keep everything in this directory (default: a temporary one)')
    .option(
      '--year <year>',
      'year to report about: 2012 to 2015; one without data shows how a task fails',
      parseYear,
      '2015',
    )
    .option('--keep', 'leave the engine running until Ctrl-C, and what it stored in place')
    .addHelpText('after', '\nVariables (RUNYARD_*, DATABASE_URL) and runyard.json are not heeded.')
    .action(async (options: DemoOptions) => finish(await (await import('./demo/demo.ts')).runDemo(options)));
  addPeopleCommands(program, finish);
  addRunCommands(program, finish);
  addDashboardCommands(program, finish);
  program
    .command('schedule')
    .description('look at schedules')
    .command('preview')
    .description('show when a Quartz expression fires, and what clock changes do to it; no service is needed')
    .argument('<expression>', 'second minute hour day-of-month month day-of-week [year], in quotes')
    .option('--zone <id>', 'Java time zone id', 'UTC')
    .option(
      '--after <time>',
      'fires after this time: ISO-8601, or epoch milliseconds (default: now)',
      parseTime,
    )
    .option('--count <number>', 'how many, 1 to 100', parsePreviewCount, 10)
    .option('--json', 'as JSON, as the service answers')
    .action(async (expression: string, options: PreviewOptions) =>
      finish(
        await (await import('./commands/schedule-preview.ts')).printSchedulePreview(expression, options),
      ),
    );
  program
    .command('doctor')
    .description('say what this machine can run, and what is missing')
    .option('--json', 'as JSON')
    .action(async (options: { json?: true }) =>
      finish(await (await import('./doctor/doctor.ts')).runDoctor(options.json === true)),
    );
  return program;
}

/** What people look at of runs, at the service that RUNYARD_URL names or that runs here. */
function addRunCommands(program: Command, finish: (code: number) => void): void {
  program
    .command('logs')
    .argument('<run>', 'id of a run, or of a task run', parseId)
    .description('print what the tasks of a run have written; their stderr goes to stderr')
    .option(
      '-f, --follow',
      'go on with what comes until the run is over; exit code 0 when it succeeded, 3 when it did not',
    )
    .addOption(
      new Option('--stream <name>', 'which of the two').choices(['stdout', 'stderr', 'both']).default('both'),
    )
    .option('--task <key>', 'one task alone')
    .option('--tail <lines>', 'begin with the last lines', parseTailLines)
    .action(async (run: number, options: LogsOptions) =>
      finish(await (await import('./commands/logs.ts')).printLogs(run, options)),
    );
  program
    .command('bundle')
    .argument('<run>', 'id of a run', parseId)
    .description('write everything that is known of a run into one tar.gz: settings, states, logs, output')
    .option('-o, --output <file>', 'where to; - is stdout (default: run-<id>.tar.gz here)')
    .action(async (run: number, options: BundleOptions) =>
      finish(await (await import('./commands/bundle.ts')).writeBundle(run, options)),
    );
}

function addDashboardCommands(program: Command, finish: (code: number) => void): void {
  const dashboards = program
    .command('dashboards')
    .description(
      'bring classic dashboards in and migrate them, at the service that RUNYARD_URL names or that runs here',
    );
  dashboards
    .command('import')
    .argument('<file>', 'JSON document of a classic dashboard')
    .description('store a classic dashboard and print its id')
    .action(async (file: string) =>
      finish(await (await import('./commands/dashboards.ts')).importDashboard(file)),
    );
  dashboards
    .command('list')
    .description('list the classic dashboards')
    .action(async () => finish(await (await import('./commands/dashboards.ts')).listClassicDashboards()));
  dashboards
    .command('migrate')
    .argument('<id>', 'id of a classic dashboard')
    .description('make a dashboard of the newer format and print its id and path')
    .option('--name <name>', 'its name (default: that of the classic one)')
    .option('--folder <path>', 'folder of the workspace (default: your own)')
    .option('--keep-parameters', 'leave {{ parameters }} in queries as they are')
    .action(async (id: string, options: MigrateOptions) =>
      finish(await (await import('./commands/dashboards.ts')).migrateDashboard(id, options)),
    );
}

/** What administrators do with tokens and people, at the service that RUNYARD_URL names or that runs here. */
function addPeopleCommands(program: Command, finish: (code: number) => void): void {
  const token = program
    .command('token')
    .description('print the token of the first administrator')
    .action(async () => finish(await (await import('./commands/token.ts')).printToken()));
  token
    .command('create')
    .description('make a token for somebody and print its value, which cannot be shown again')
    .option('--user <name>', 'a user (default: whoever the token in use belongs to)')
    .option('--service-principal <id>', 'application id of a service principal')
    .option('--comment <text>', 'what it is for')
    .option('--days <number>', 'days that it lives (default: as long as is allowed)')
    .option('--scopes <names>', 'scopes with commas between them (default: all-apis)')
    .option('--autoscope', 'observe it for 30 days, then permit what it was used for')
    .action(async (options: TokenOptions) =>
      finish(await (await import('./commands/token-create.ts')).createToken(options)),
    );
  const user = program
    .command('user')
    .description('manage users, at the service that RUNYARD_URL names or that runs here');
  user
    .command('list')
    .description('list the users')
    .action(async () => finish(await (await import('./commands/user.ts')).listUsers()));
  user
    .command('add')
    .argument('<name>', 'name of the user, usually an address of mail')
    .description('make a user and print their id')
    .option('--display-name <name>', 'name to show')
    .option('--email <address>', 'where mail reaches them')
    .option('--admin', 'as an administrator')
    .action(async (name: string, options: UserOptions) =>
      finish(await (await import('./commands/user.ts')).addUser(name, options)),
    );
  for (const [verb, description] of Object.entries(userVerbs)) {
    user
      .command(verb)
      .argument('<name>', 'name of the user')
      .description(description)
      .action(async (name: string) =>
        finish(await (await import('./commands/user.ts')).updateUser(name, verb)),
      );
  }
}

/** Verb -> what it does. */
const userVerbs = {
  deactivate: 'switch a user off: none of their tokens counts any more',
  activate: 'switch a user on again',
  promote: 'make a user an administrator',
  demote: 'make an administrator a plain user',
  remove: 'remove a user with all tokens and permissions',
} as const;

function parseYear(text: string): string {
  if (/^\d{4}$/.test(text)) return text;
  throw new InvalidArgumentError('A year has four digits.');
}

function parseTime(text: string): number {
  const time = /^\d+$/.test(text) ? Number(text) : Date.parse(text);
  if (Number.isSafeInteger(time)) return time;
  throw new InvalidArgumentError('A time is like 2027-03-28T00:00:00Z, or epoch milliseconds.');
}

function parseId(text: string): number {
  if (/^\d{1,16}$/.test(text) && Number.isSafeInteger(Number(text))) return Number(text);
  throw new InvalidArgumentError('An id is a whole number.');
}

function parseTailLines(text: string): number {
  const lines = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (lines >= 1 && lines <= defaultLimits.logTailLines) return lines;
  throw new InvalidArgumentError(`It is a number from 1 to ${defaultLimits.logTailLines}.`);
}

function parsePreviewCount(text: string): number {
  const count = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= fixedLimits.previewFires) return count;
  throw new InvalidArgumentError(`It is a number from 1 to ${fixedLimits.previewFires}.`);
}

function readPackageVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const version =
    typeof manifest === 'object' && manifest !== null && 'version' in manifest ? manifest.version : undefined;
  return String(version);
}

/**
 * Says what went wrong: in one line when it is for the person at the keyboard, with its trace when it is a
 * bug.
 */
function reportError(error: unknown): number {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return 0;
    // Without a command, Commander has shown the help already.
    if (error.code !== 'commander.help')
      printDiagnostic(
        `runyard: ${error.message.replace(/^error: /, '').replaceAll('\n', ' ')} (see runyard --help)`,
      );
    return 2;
  }
  const expected = error instanceof ConfigError || error instanceof CommandError;
  printDiagnostic(`runyard: ${expected ? error.message : stackOf(error)}`);
  return 1;
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : messageOf(error);
}

// Half of a start is reading and compiling modules: from the second start on it is read from here, where that
// can be written.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/runyard', import.meta.url)));
ignoreBrokenPipes();
// What is still open (a keep-alive connection, a timer) must not hold back the end.
process.exit(await main(process.argv.slice(2)));
