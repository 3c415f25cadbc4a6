/** Commands of jobs: 'jobs …', `init`. */
import type { Command } from 'commander';
import { parseLimit } from '../argument-parsers.ts';
import type { ApplyOptions } from '../commands/jobs/apply-jobs.ts';
import type { ListJobsOptions } from '../commands/jobs/list-jobs.ts';
import type { OutputOptions } from '../output/print-result.ts';
import { addClientCommand, addQueryCommand, type Finish } from './client-command.ts';

interface Yes {
  readonly yes?: true;
}

const changeJobs = () => import('../commands/jobs/change-jobs.ts');

export function addJobCommands(program: Command, finish: Finish): void {
  const jobs = program.command('jobs').description('manage jobs; <job> is an id or a name');
  addQueryCommand(jobs, 'list', 'list the jobs, newest first')
    .option('--name <text>', 'only jobs with this text in their name')
    .option('--limit <number>', 'at most so many jobs', parseLimit, 100)
    .action(async (options: ListJobsOptions) =>
      finish(await (await import('../commands/jobs/list-jobs.ts')).listJobs(options)),
    );
  addQueryCommand(jobs, 'get <job>', 'print a job with its settings').action(
    async (job: string, options: OutputOptions) =>
      finish(await (await changeJobs()).getJobCommand(job, options)),
  );
  addClientCommand(
    jobs,
    'create <file>',
    'create a job of a YAML or JSON file, or - for stdin, and print its id',
  ).action(async (file: string) => finish(await (await changeJobs()).createJob(file)));
  addClientCommand(
    jobs,
    'edit <job>',
    'change the settings of a job in the editor that VISUAL or EDITOR names',
  ).action(async (job: string) => finish(await (await changeJobs()).editJob(job)));
  addClientCommand(jobs, 'delete <job>', 'delete a job; its ended runs stay')
    .option('-y, --yes', 'do not ask')
    .action(async (job: string, options: Yes) => finish(await (await changeJobs()).deleteJob(job, options)));
  for (const [verb, isPaused] of [
    ['pause', true],
    ['resume', false],
  ] as const) {
    addClientCommand(jobs, `${verb} <job>`, `${verb} the schedule or trigger of a job`).action(
      async (job: string) => finish(await (await changeJobs()).setPaused(job, isPaused)),
    );
  }
  addQueryCommand(jobs, 'export <job>', 'print the settings of a job for jobs create and jobs apply')
    .option('-f, --file <file>', 'write them to a file')
    .action(async (job: string, options: OutputOptions & { file?: string }) =>
      finish(await (await changeJobs()).exportJob(job, options)),
    );
  addQueryCommand(jobs, 'apply', 'make the jobs of the service like the YAML and JSON files of a folder')
    .requiredOption('-f, --file <path>', 'folder, or one file')
    .option('--set <name>', 'name of the set of jobs (default: the name of the folder)')
    .option('--prune', 'delete the jobs of the set that have no file')
    .option('--dry-run', 'print the plan and change nothing')
    .option('-y, --yes', 'do not ask before deletions')
    .action(async (options: ApplyOptions) =>
      finish(await (await import('../commands/jobs/apply-jobs.ts')).applyJobs(options)),
    );
  const init = program.command('init').description('create examples on the service');
  addClientCommand(init, 'sample', 'create the job "sample" with four tasks').action(async () =>
    finish(await (await import('../commands/init-sample.ts')).initSample()),
  );
}
