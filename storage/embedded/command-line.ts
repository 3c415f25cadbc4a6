/** What a process was started as. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const hasProc = existsSync('/proc/self/cmdline');

/** Program and arguments of a living process, with a space between each; empty when it is gone. */
export async function commandLineOf(pid: number): Promise<string> {
  if (hasProc)
    return (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).replaceAll('\0', ' ').trim();
  const answer = await promisify(execFile)('ps', ['-o', 'command=', '-p', String(pid)]).catch(() => ({
    stdout: '',
  }));
  return answer.stdout.trim();
}
