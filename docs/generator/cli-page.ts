/** `reference/cli.md`: the help of every command, as the command line prints it. */
import type { Command } from 'commander';
import { buildProgram } from '../../cli/program.ts';

/** Columns of a terminal whose help is shown. */
const helpWidth = 80;

/** Renders the page. */
export function renderCliPage(): string {
  return [
    '# Command line',
    [
      '`runyard` is the command of the package: `npx runyard <command>` in the project directory. The',
      '[guide](../guides/command-line.md) shows the daily work with it; this page is the help of every command.',
    ].join('\n'),
    ...renderCommands(
      buildProgram(() => undefined),
      [],
    ),
  ].join('\n\n');
}

/** Returns one section for a command and one for each of its subcommands, depth first. */
function renderCommands(command: Command, parents: readonly string[]): string[] {
  const words = [...parents, command.name()];
  return [
    `## ${words.join(' ')}`,
    `\`\`\`text\n${renderHelp(command)}\n\`\`\``,
    ...command
      .createHelp()
      .visibleCommands(command)
      .flatMap((one) => (one.name() === 'help' ? [] : renderCommands(one, words))),
  ];
}

/** Returns the help of a command without the table of settings, which has a page of its own. */
function renderHelp(command: Command): string {
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part), getOutHelpWidth: () => helpWidth });
  command.outputHelp();
  return (text.split('\nSettings (')[0] ?? '').trimEnd();
}
