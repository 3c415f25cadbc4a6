/** Command lines of processes. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const hasProc = existsSync('/proc/self/cmdline');

/** Returns program and arguments of a running process, separated by spaces; '' when it is gone. */
export async function commandLineOf(pid: number): Promise<string> {
  if (hasProc)
    return (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).replaceAll('\0', ' ').trim();
  const output = await promisify(execFile)('ps', ['-o', 'command=', '-p', String(pid)]).catch(() => ({
    stdout: '',
  }));
  return output.stdout.trim();
}
