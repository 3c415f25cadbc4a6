/**
 * `dbutils.notebook.run` of JavaScript notebooks: asks the engine by files for a run of another notebook, and
 * waits for its end.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { NotebookDriverInput } from './driver-protocol.ts';

/** What the engine answers, see `questions.ts`. */
interface ChildEnd {
  readonly result: string;
  readonly value?: string;
  readonly message?: string;
}

/** How often the answer is looked for, ms: often at first, as many notebooks are short. */
const pollIntervals = { first: 10, growth: 1.2, longest: 500 } as const;

export type RunNotebook = (path: unknown, timeoutSeconds?: unknown, given?: object) => Promise<string>;

/**
 * Runs another notebook as a run of its own. The path is absolute, or relative to the folder of this
 * notebook; 0 seconds are no limit. The answer is its exit value, '' when it gave none.
 * @throws Error when it fails, is cancelled, takes too long or cannot be started
 */
export function createRunNotebook({
  path: own,
  questions,
}: Pick<NotebookDriverInput, 'path' | 'questions'>): RunNotebook {
  return async (path, timeoutSeconds = 0, given = {}) => {
    if (!Number.isInteger(timeoutSeconds) || Number(timeoutSeconds) < 0) {
      throw new RangeError(
        `The time limit of the notebook is ${String(timeoutSeconds)}; it must be a whole number of seconds, 0 for no limit.`,
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

/** A question is asked once, whoever answers: its key says which one it is. */
async function requestRun(directory: string, question: object): Promise<ChildEnd> {
  const file = join(directory, randomBytes(16).toString('hex'));
  mkdirSync(directory, { recursive: true });
  writeFileSync(`${file}.part`, JSON.stringify(question), { mode: 0o600 });
  renameSync(`${file}.part`, `${file}.json`);
  for (
    let wait: number = pollIntervals.first;
    !existsSync(`${file}.answer`);
    wait = Math.min(wait * pollIntervals.growth, pollIntervals.longest)
  )
    await pause(wait);
  // The engine writes it in one step.
  return JSON.parse(readFileSync(`${file}.answer`, 'utf8')) as ChildEnd;
}
