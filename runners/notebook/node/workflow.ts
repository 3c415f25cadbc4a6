/** `dbutils.notebook.run` of JavaScript notebooks: requests a child run by file and waits for it. */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { NotebookDriverInput } from './driver-protocol.ts';

/** Answer of the engine, see `notebook-requests.ts`. */
interface ChildEnd {
  readonly result: string;
  readonly value?: string;
  readonly message?: string;
}

/** Intervals in ms between polls for the answer: short at first, because many notebooks are short. */
const pollIntervals = { first: 10, growth: 1.2, longest: 500 } as const;

export type RunNotebook = (path: unknown, timeoutSeconds?: unknown, given?: object) => Promise<string>;

/**
 * Runs another notebook as a child run and returns its exit value, or '' without one. The path is absolute,
 * or relative to the folder of this notebook; 0 seconds mean no limit.
 * @throws Error when the run does not succeed
 */
export function createRunNotebook({
  path: own,
  questions,
}: Pick<NotebookDriverInput, 'path' | 'questions'>): RunNotebook {
  return async (path, timeoutSeconds = 0, given = {}) => {
    if (!Number.isInteger(timeoutSeconds) || Number(timeoutSeconds) < 0) {
      throw new RangeError(
        `The time limit of the notebook is ${String(timeoutSeconds)}; it must be an integer of at least 0 (seconds), where 0 means no limit.`,
      );
    }
    const target = posix.resolve(posix.dirname(posix.resolve('/', own)), String(path));
    const values = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, String(value)]));
    const answer = await requestRun(questions, {
      kind: 'notebook',
      path: target,
      timeoutSeconds,
      arguments: values,
    });
    if (answer.result === 'SUCCESS') return answer.value ?? '';
    throw new Error(answer.message ?? `The notebook ${target} could not be run.`);
  };
}

/** Writes a request, whose key identifies it, and waits for the answer. */
async function requestRun(directory: string, request: object): Promise<ChildEnd> {
  const file = join(directory, randomBytes(16).toString('hex'));
  mkdirSync(directory, { recursive: true });
  writeFileSync(`${file}.part`, JSON.stringify(request), { mode: 0o600 });
  renameSync(`${file}.part`, `${file}.json`);
  for (
    let wait: number = pollIntervals.first;
    !existsSync(`${file}.answer`);
    wait = Math.min(wait * pollIntervals.growth, pollIntervals.longest)
  )
    await pause(wait);
  // The engine writes the file atomically.
  return JSON.parse(readFileSync(`${file}.answer`, 'utf8')) as ChildEnd;
}
