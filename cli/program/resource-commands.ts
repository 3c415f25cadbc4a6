/** Commands of clusters, pipelines, tokens, destinations, deliveries and nodes, and of the service itself. */
import type { Command } from 'commander';
import { parseId, parseLimit } from '../argument-parsers.ts';
import type { OpenOptions } from '../commands/open.ts';
import type { AddProfileOptions } from '../commands/profiles/profiles.ts';
import {
  actions,
  documentPaths,
  type Action,
  type ActionName,
} from '../commands/resources/resource-actions.ts';
import type { ListOptions } from '../commands/resources/list-resources.ts';
import type { OutputOptions } from '../output/print-result.ts';
import { addTokenCreation } from './token-creation.ts';
import { addClientCommand, addQueryCommand, type Finish } from './client-command.ts';

const resources = {
  clusters: 'clusters',
  pipelines: 'pipelines and their updates',
  tokens: 'your tokens',
  destinations: 'notification destinations',
  deliveries: 'notifications that were sent',
  nodes: 'engines that share the database',
} as const;

type ResourceName = keyof typeof resources;

export function addResourceCommands(program: Command, finish: Finish): void {
  for (const name of Object.keys(resources) as ResourceName[]) {
    const group = program.command(name).description(`manage ${resources[name]}`);
    addQueryCommand(group, 'list', `list the ${name}`)
      .option('--limit <number>', 'at most so many', parseLimit, 100)
      .action(async (options: ListOptions) =>
        finish(await (await import('../commands/resources/list-resources.ts')).listCommands[name](options)),
      );
    if (isDocumented(name))
      addQueryCommand(group, 'get <id>', 'print all fields').action(
        async (id: string, options: OutputOptions) =>
          finish(
            await (await import('../commands/resources/change-resources.ts')).getResource(name, id, options),
          ),
      );
    addActions(group, name, finish);
    if (name === 'pipelines') addPipelineStart(group, finish);
    if (name === 'tokens') addTokenCreation(group, finish);
  }
  addServiceQueries(program, finish);
  addProfileCommands(program, finish);
}

function isDocumented(name: ResourceName): name is keyof typeof documentPaths {
  return name in documentPaths;
}

function addActions(group: Command, name: ResourceName, finish: Finish): void {
  for (const action of Object.keys(actions) as ActionName[]) {
    const [resource, verb = ''] = action.split(' ');
    if (resource !== name) continue;
    const { question, help }: Action = actions[action];
    const command = addClientCommand(group, `${verb} <id>`, help);
    if (question !== undefined) command.option('-y, --yes', 'do not ask');
    command.action(async (id: string, options: { yes?: true }) =>
      finish(await (await import('../commands/resources/change-resources.ts')).actOn(action, id, options)),
    );
  }
}

function addPipelineStart(group: Command, finish: Finish): void {
  addClientCommand(group, 'start <id>', 'start an update and print its id')
    .option('--full-refresh', 'compute all tables from the start')
    .action(async (id: string, options: { fullRefresh?: true }) =>
      finish(await (await import('../commands/resources/change-resources.ts')).startPipeline(id, options)),
    );
}

function addServiceQueries(program: Command, finish: Finish): void {
  addQueryCommand(program, 'status', 'print whether the service is ready and what it does').action(
    async (options: OutputOptions) =>
      finish(await (await import('../commands/status.ts')).printStatus(options)),
  );
  addClientCommand(program, 'open', 'open the console in the browser and print its address')
    .option('--run <id>', 'open a run', parseId)
    .option('--job <job>', 'open a job, an id or a name')
    .option('--print', 'only print the address')
    .action(async (options: OpenOptions) =>
      finish(await (await import('../commands/open.ts')).openConsole(options)),
    );
}

function addProfileCommands(program: Command, finish: Finish): void {
  const profiles = program
    .command('profiles')
    .description('manage the services that you work with, in ~/.config/runyard/profiles.json');
  const load = () => import('../commands/profiles/profiles.ts');
  profiles
    .command('add <name>')
    .description('store URL and token of a service after a call has succeeded')
    .requiredOption('--url <url>', 'address of the service')
    .option('--token <token>', 'token (default: the first line of stdin, which leaves no trace in the shell)')
    .action(async (name: string, options: AddProfileOptions) =>
      finish(await (await load()).addProfile(name, options)),
    );
  profiles
    .command('list')
    .description('list the profiles, without their tokens')
    .option('--json', 'print JSON')
    .action(async (options: OutputOptions) => finish(await (await load()).listProfiles(options)));
  profiles
    .command('use <name>')
    .description('make a profile the current one')
    .action(async (name: string) => finish(await (await load()).chooseProfile(name)));
  profiles
    .command('remove <name>')
    .description('remove a profile; its token stays valid')
    .action(async (name: string) => finish(await (await load()).removeProfile(name)));
}
