/** Runs a command in the process of the test, which saves the start of a process. */
import { vi } from 'vitest';
import { runCommand } from '../../../cli/run-command.ts';
import type { CommandResult } from './cli-process.ts';

/**
 * Runs a command to its end, with `directory` as working directory and `variables` in the environment. Only one
 * command may run at a time.
 */
export async function runInProcess(
  words: readonly string[],
  directory: string,
  variables: Readonly<Record<string, string>>,
): Promise<CommandResult> {
  const before = { directory: process.cwd(), environment: { ...process.env } };
  const output = { stdout: '', stderr: '' };
  const capture = (name: 'stdout' | 'stderr'): { mockRestore(): void } =>
    vi.spyOn(process[name], 'write').mockImplementation((chunk, ...rest: unknown[]) => {
      output[name] += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
      const done = rest.at(-1);
      if (typeof done === 'function') done();
      return true;
    });
  const captures = [capture('stdout'), capture('stderr')];
  process.chdir(directory);
  Object.assign(process.env, variables);
  try {
    return { code: await runCommand(words), ...output };
  } finally {
    process.env = before.environment;
    process.chdir(before.directory);
    for (const one of captures) one.mockRestore();
  }
}
