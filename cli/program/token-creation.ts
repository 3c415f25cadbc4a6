/** `token create` and 'tokens create', which are the same command. */
import type { Command } from 'commander';
import type { TokenOptions } from '../commands/token-create.ts';
import { addClientCommand, type Finish } from './client-command.ts';

export function addTokenCreation(parent: Command, finish: Finish): void {
  addClientCommand(parent, 'create', 'create a token and print its value, which cannot be shown again')
    .option('--user <name>', 'owner of the token (default: the owner of the token in use)')
    .option('--service-principal <id>', 'application id of the service principal that owns the token')
    .option('--comment <text>', 'purpose of the token')
    .option('--days <number>', 'lifetime in days (default: the maximum lifetime)')
    .option('--scopes <names>', 'comma-separated scopes (default: all-apis)')
    .option('--autoscope', 'observe the token for 30 days, then reduce its scopes to those that it used')
    .action(async (options: TokenOptions) =>
      finish(await (await import('../commands/token-create.ts')).createToken(options)),
    );
}
