/** Commands of runs: 'run', 'runs …', and the short forms 'logs', `explain` and `bundle`. */
import { Option, type Command } from 'commander';
import { collectPair, collectWord, parseId, parseLimit, parseTailLines } from '../argument-parsers.ts';
import type { BundleOptions } from '../commands/bundle.ts';
import type { LogsOptions } from '../commands/logs.ts';
import type { ListRunsOptions, RepairOptions } from '../commands/runs/manage-runs.ts';
import type { RunOptions } from '../commands/runs/run-options.ts';
import type { OutputOptions } from '../output/print-result.ts';
import { addClientCommand, addQueryCommand, type Finish } from './client-command.ts';

const manageRuns = () => import('../commands/runs/manage-runs.ts');

export function addRunCommands(program: Command, finish: Finish): void {
  addStartCommand(program, finish);
  const runs = program.command('runs').description('inspect and control runs');
  addQueryCommand(runs, 'list', 'list the runs, newest first')
    .option('--job <job>', 'only runs of this job, an id or a name')
    .option('--active', 'only runs that have not ended')
    .option('--state <state>', 'only runs in this state or with this result, such as FAILED')
    .option('--cause <code>', 'only runs that failed for this cause, such as TIMEOUT')
    .option('--limit <number>', 'at most so many runs', parseLimit, 20)
    .action(async (options: ListRunsOptions) => finish(await (await manageRuns()).listRuns(options)));
  addQueryCommand(runs, 'get', 'print a run with its tasks')
    .argument('<run>', 'id of a run', parseId)
    .action(async (run: number, options: OutputOptions) =>
      finish(await (await manageRuns()).getRunCommand(run, options)),
    );
  addClientCommand(runs, 'cancel', 'cancel a run')
    .argument('<run>', 'id of a run', parseId)
    .action(async (run: number) => finish(await (await manageRuns()).cancelRun(run)));
  addClientCommand(runs, 'repair', 'rerun the tasks of a run that did not succeed')
    .argument('<run>', 'id of a run that has ended', parseId)
    .option('--task <key>', 'rerun this task only; can be repeated', collectWord, [])
    .option('-f, --follow', 'follow the run until it ends')
    .action(async (run: number, options: RepairOptions) =>
      finish(await (await manageRuns()).repairRun(run, options)),
    );
  addClientCommand(runs, 'export', 'write the notebook of a run with its output as an HTML page')
    .argument('<run>', 'id of a run of a notebook, or of a task run', parseId)
    .option('-f, --file <file>', 'target file (default: ./run-<id>.html)')
    .action(async (run: number, { file }: { file?: string }) =>
      finish(await (await manageRuns()).exportRun(run, file)),
    );
  for (const parent of [program, runs]) addReadCommands(parent, finish);
}

function addStartCommand(program: Command, finish: Finish): void {
  addQueryCommand(program, 'run', 'start a run of a job, or of a local .py, .ipynb, .sql or .js file')
    .argument('<target>', 'id or name of a job, or a file')
    .option('--param <name=value>', 'parameter of the job or notebook; can be repeated', collectPair, {})
    .option('--arg <word>', 'word for a Python, JAR or submit program; can be repeated', collectWord, [])
    .option('-f, --follow', 'show tasks and logs until the run ends; exit code 0 for success, 1 otherwise')
    .option('--cluster <id>', 'existing cluster for a file (default: a new one)')
    .option('--idempotency-token <text>', 'a second call with the same text starts no second run')
    .action(async (target: string, options: RunOptions) =>
      finish(await (await import('../commands/runs/start-run.ts')).startRun(target, options)),
    );
}

function addReadCommands(parent: Command, finish: Finish): void {
  addClientCommand(parent, 'logs', 'print the logs of the tasks of a run, their stderr to stderr')
    .argument('<run>', 'id of a run, or of a task run', parseId)
    .option('-f, --follow', 'follow the logs until the run ends; exit code 0 for success, 1 otherwise')
    .addOption(
      new Option('--stream <name>', 'stream to print').choices(['stdout', 'stderr', 'both']).default('both'),
    )
    .option('--task <key>', 'print one task only')
    .option('--tail <lines>', 'begin with the last lines', parseTailLines)
    .action(async (run: number, options: LogsOptions) =>
      finish(await (await import('../commands/logs.ts')).printLogs(run, options)),
    );
  addClientCommand(parent, 'explain', 'print why a run failed, where, and what to do')
    .argument('<run>', 'id of a run', parseId)
    .action(async (run: number) => finish(await (await import('../commands/explain.ts')).explainRun(run)));
  addClientCommand(parent, 'bundle', 'write settings, states, logs and output of a run to a tar.gz file')
    .argument('<run>', 'id of a run', parseId)
    .option('-o, --output <file>', 'target file, or - for stdout (default: ./run-<id>.tar.gz)')
    .action(async (run: number, options: BundleOptions) =>
      finish(await (await import('../commands/bundle.ts')).writeBundle(run, options)),
    );
}
