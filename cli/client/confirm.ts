/** Questions of commands that cannot be taken back. */
import { createInterface } from 'node:readline/promises';
import { CommandError } from '../start-error.ts';

/**
 * Asks before a command goes on. Returns false when the answer is no.
 * @param yes whether `--yes` was given, which answers the question
 * @throws CommandError without a terminal and without `--yes`
 */
export async function confirm(question: string, yes: true | undefined): Promise<boolean> {
  if (yes === true) return true;
  if (!process.stdin.isTTY)
    throw new CommandError(`${question} There is no terminal to ask on: add --yes.`, { usage: true });
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await reader.question(`${question} [y/N] `)).trim());
  } finally {
    reader.close();
  }
}
