/** Definition of the command line: every command with its arguments, options and help. */
import { readFileSync } from 'node:fs';
import addCompletion from '@bomb.sh/tab/commander';
import { Command } from 'commander';
import { parsePreviewCount, parseTime, parseYear } from './argument-parsers.ts';
import type { MigrateOptions } from './commands/dashboards.ts';
import type { PreviewOptions } from './commands/schedule-preview.ts';
import type { SparkHistoryOptions } from './commands/spark-history.ts';
import type { SparkInstallOptions } from './commands/spark-install.ts';
import type { UserOptions } from './commands/user.ts';
import type { DemoOptions } from './demo/demo.ts';
import type { ServeOptions } from './serve.ts';
import type { Finish } from './program/client-command.ts';
import { addFileCommands } from './program/file-commands.ts';
import { addJobCommands } from './program/job-commands.ts';
import { addResourceCommands } from './program/resource-commands.ts';
import { addTokenCreation } from './program/token-creation.ts';
import { addRunCommands } from './program/run-commands.ts';
import { renderSettingsHelp } from './settings.ts';

/** Builds the program. Each command imports its module when it runs: `runyard token` needs no service. */
export function buildProgram(finish: Finish): Command {
  const program = new Command('runyard')
    .description('A self-hosted job execution engine.')
    .version(readPackageVersion())
    .addHelpText(
      'after',
      '\nCommands call the service of --profile, else of RUNYARD_URL and RUNYARD_TOKEN, else of the current profile\n(runyard profiles), else the one that is configured in this directory.\nExit codes: 0 success, 1 failure or failed run, 2 wrong usage, 3 no service.',
    )
    .exitOverride()
    // The exception carries Commander's text; main.ts prints it as one line.
    .configureOutput({ outputError: () => undefined });
  program.commandsGroup('Service:');
  addServiceCommands(program, finish);
  addDoctorCommand(program, finish);
  addSparkCommands(program, finish);
  program.commandsGroup('Jobs and runs:');
  addJobCommands(program, finish);
  addRunCommands(program, finish);
  program.commandsGroup('Files, compute and people:');
  addFileCommands(program, finish);
  addResourceCommands(program, finish);
  addTokenCommands(program, finish);
  addUserCommands(program, finish);
  addDashboardCommands(program, finish);
  addScheduleCommands(program, finish);
  program.commandsGroup('Shell:');
  addCompletion(program);
  return program;
}

function addServiceCommands(program: Command, finish: Finish): void {
  program
    .command('serve')
    .description('start the service; variables and a file configure it, see `runyard serve --help`')
    .option(
      '--drain',
      'on a stop signal, wait for the running tasks instead of leaving them to the next start',
    )
    .addHelpText(
      'after',
      () =>
        `\nSettings (a variable overrides the file; an empty variable counts as unset):\n${renderSettingsHelp()}`,
    )
    .action(async (options: ServeOptions) => finish(await (await import('./serve.ts')).runServe(options)));
  program
    .command('demo')
    .description('start a separate engine, run the weather example on it and show its progress')
    .option('--data-dir <directory>', 'keep all data in this directory (default: a temporary one)')
    .option(
      '--year <year>',
      'year of the report, 2012 to 2015; a year without data shows a failing task',
      parseYear,
      '2015',
    )
    .option('--spark', 'run the example of Spark; the first time installs PySpark (430 MB) below ~/.cache')
    .option('--keep', 'leave the engine running until Ctrl-C, and keep its data')
    .addHelpText('after', '\nThe demo ignores variables (RUNYARD_*, DATABASE_URL) and runyard.json.')
    .action(async (options: DemoOptions) => finish(await (await import('./demo/demo.ts')).runDemo(options)));
}

function addTokenCommands(program: Command, finish: Finish): void {
  const token = program
    .command('token')
    .description('print the token of the first administrator')
    .allowExcessArguments()
    .action(async () => {
      const [subcommand] = token.args;
      if (subcommand !== undefined) token.error(`error: unknown subcommand '${subcommand}'`);
      finish(await (await import('./commands/token.ts')).printToken());
    });
  addTokenCreation(token, finish);
}

function addUserCommands(program: Command, finish: Finish): void {
  const user = program.command('user').alias('users').description('manage users');
  user
    .command('list')
    .description('list the users')
    .action(async () => finish(await (await import('./commands/user.ts')).listUsers()));
  user
    .command('add')
    .argument('<name>', 'name of the user, usually an email address')
    .description('create a user and print the id')
    .option('--display-name <name>', 'display name')
    .option('--email <address>', 'email address')
    .option('--admin', 'make the user an administrator')
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

/** Verb -> description of the command. */
const userVerbs = {
  deactivate: 'deactivate a user; the service rejects all tokens of the user',
  activate: 'activate a user again',
  promote: 'make a user an administrator',
  demote: 'remove the administrator rights of a user',
  remove: 'remove a user with all tokens and permissions',
} as const;

function addDashboardCommands(program: Command, finish: Finish): void {
  const dashboards = program.command('dashboards').description('import and migrate classic dashboards');
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
    .description('create a dashboard of the new format and print its id and path')
    .option('--name <name>', 'name of the new dashboard (default: the name of the classic one)')
    .option('--folder <path>', 'workspace folder (default: your home folder)')
    .option('--keep-parameters', 'keep {{ parameters }} in queries unchanged')
    .action(async (id: string, options: MigrateOptions) =>
      finish(await (await import('./commands/dashboards.ts')).migrateDashboard(id, options)),
    );
}

function addScheduleCommands(program: Command, finish: Finish): void {
  program
    .command('schedule')
    .alias('schedules')
    .description('inspect schedules')
    .command('preview')
    .description('print the fire times of a Quartz expression across clock changes; needs no service')
    .argument('<expression>', 'second minute hour day-of-month month day-of-week [year], in quotes')
    .option('--zone <id>', 'Java time zone id', 'UTC')
    .option(
      '--after <time>',
      'print fire times after this time: ISO 8601, or epoch milliseconds (default: now)',
      parseTime,
    )
    .option('--count <number>', 'number of fire times, 1 to 100', parsePreviewCount, 10)
    .option('--json', 'print the JSON document of the API')
    .action(async (expression: string, options: PreviewOptions) =>
      finish(
        await (await import('./commands/schedule-preview.ts')).printSchedulePreview(expression, options),
      ),
    );
}

function addDoctorCommand(program: Command, finish: Finish): void {
  program
    .command('doctor')
    .description('check what this machine can run and what is missing')
    .option('--json', 'print JSON')
    .action(async (options: { json?: true }) =>
      finish(await (await import('./doctor/doctor.ts')).runDoctor(options.json === true)),
    );
}

function addSparkCommands(program: Command, finish: Finish): void {
  const spark = program.command('spark').description('manage the distributions of Spark');
  spark
    .command('history')
    .description("start Spark's history server on the event logs of a cluster, until it is interrupted")
    .requiredOption('--cluster <id>', 'id of the cluster')
    .option('--port <port>', 'port on the loopback interface', '18080')
    .action(async (options: SparkHistoryOptions) =>
      finish(await (await import('./commands/spark-history.ts')).serveSparkHistory(options)),
    );
  spark
    .command('install')
    .description('install PySpark for clusters, which otherwise happens when the first cluster needs it')
    .option('--spark-version <key>', 'install for clusters with this spark_version (default: all others)', '')
    .action(async (options: SparkInstallOptions) =>
      finish(await (await import('./commands/spark-install.ts')).installSpark(options)),
    );
}

function readPackageVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const version =
    typeof manifest === 'object' && manifest !== null && 'version' in manifest ? manifest.version : undefined;
  return String(version);
}
