/** What the commands that call a service have in common. */
import { Option, type Command } from 'commander';
import { selectProfile } from '../client/profiles.ts';

/** Takes the exit code of the command that ran. */
export type Finish = (exitCode: number) => void;

/** Adds a command that calls a service. @param words name and arguments, as in "get <job>" */
export function addClientCommand(parent: Command, words: string, description: string): Command {
  return parent
    .command(words)
    .description(description)
    .option('--profile <name>', 'profile of the service')
    .hook('preAction', (_, command) => {
      const { profile }: { profile?: string } = command.opts();
      selectProfile(profile);
    });
}

/** Adds a command that prints a result for people or for scripts. */
export function addQueryCommand(parent: Command, words: string, description: string): Command {
  return addClientCommand(parent, words, description)
    .addOption(
      new Option('-o, --output <format>', 'format of the result').choices(['text', 'json']).default('text'),
    )
    .option('--json', 'same as -o json');
}
