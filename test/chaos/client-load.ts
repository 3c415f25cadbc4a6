/**
 * The clients of a scene: they send what was drawn, more than once and to both engines, until it is
 * acknowledged.
 */
import type { ChaosJob } from './job-mix.ts';
import { drawSubmission } from './job-mix.ts';
import { incrementCount, type Ledger } from './client-ledger.ts';
import type { SeededRandom } from './seeded-random.ts';

/** How clients reach the engines. */
export interface ApiEndpoints {
  /** The address of an engine; undefined while it is down. */
  readonly urls: readonly (() => string | undefined)[];
  readonly token: string;
}

interface ApiResponse {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/**
 * Longer than a pause of an engine: a client that gives up sends again, and the engine has its request all
 * the same.
 */
const requestTimeoutMs = 12_000;
const retryDelayMs = 250;

/** One request to one engine; undefined when there was no answer. */
export async function sendRequest(
  { urls, token }: ApiEndpoints,
  engine: number,
  method: 'GET' | 'POST',
  path: string,
  input: object,
): Promise<ApiResponse | undefined> {
  const url = urls[engine]?.();
  if (url === undefined) return undefined;
  const query =
    method === 'GET'
      ? `?${new URLSearchParams(Object.entries(input).map(([name, value]): [string, string] => [name, String(value)]))}`
      : '';
  try {
    const response = await fetch(`${url}/api/${path}${query}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      signal: AbortSignal.timeout(requestTimeoutMs),
      ...(method === 'POST' && { body: JSON.stringify(input) }),
    });
    const body: unknown = await response.json();
    return { status: response.status, body: typeof body === 'object' && body !== null ? { ...body } : {} };
  } catch {
    return undefined;
  }
}

const retryableStatuses = new Set([429, 503]);

/**
 * Sends until it is answered for good, to the engines in turn. @returns the answer; its status is 200 or that
 * of a refusal
 */
export async function sendUntilAnswered(
  door: ApiEndpoints,
  ledger: Ledger,
  first: number,
  method: 'GET' | 'POST',
  path: string,
  input: object,
): Promise<ApiResponse> {
  for (let tries = 0; ; tries += 1) {
    const answer = await sendRequest(door, (first + tries) % door.urls.length, method, path, input);
    if (answer !== undefined && !retryableStatuses.has(answer.status)) {
      if (answer.status >= 500)
        ledger.unexpectedResponses.push(
          `${method} ${path} ${JSON.stringify(input)}: ${answer.status} ${JSON.stringify(answer.body)}`,
        );
      if (answer.status < 500) return answer;
    }
    incrementCount(ledger, 'requests sent again');
    await new Promise((resolve) => {
      setTimeout(resolve, retryDelayMs);
    });
  }
}

/** What a client does at some moment of a scene. */
export interface ClientAction {
  /** Milliseconds since the begin of the storm. */
  readonly at: number;
  perform(): Promise<void>;
}

export interface LoadPlan {
  readonly durationMs: number;
  /** Runs that are started. */
  readonly runs: number;
  /** Ids of the stored jobs. */
  readonly jobs: readonly number[];
}

const launchWeights = { runNow: 72, submit: 28 } as const;

/** Everything that clients do in a scene; every draw is made here, before the storm. */
export function createClientActions(
  random: SeededRandom,
  { durationMs, runs, jobs }: LoadPlan,
  door: ApiEndpoints,
  ledger: Ledger,
): ClientAction[] {
  const actions: ClientAction[] = [];
  for (let index = 0; index < runs; index += 1) {
    const wish = random.weighted(launchWeights);
    const token = `token-${index}`;
    const engines = random.pick([[0], [1], [0, 1], [1, 0, 1]]);
    const one = wish === 'submit' ? drawSubmission(random.fork(token), token) : undefined;
    const jobId = random.pick(jobs);
    actions.push({
      at: random.integer(0, durationMs),
      async perform() {
        await Promise.all(
          engines.map(async (engine) => {
            const answer = await sendUntilAnswered(
              door,
              ledger,
              engine,
              'POST',
              one === undefined ? '2.1/jobs/run-now' : `${one.version}/jobs/runs/submit`,
              one === undefined
                ? { job_id: jobId, idempotency_token: token }
                : { ...one.settings, idempotency_token: token },
            );
            if (answer.status === 200)
              ledger.acknowledgedRuns.push({
                scope: one === undefined ? jobId : 0,
                token,
                runId: Number(answer.body['run_id']),
              });
            else
              ledger.unexpectedResponses.push(
                `The start of a run was refused: ${answer.status} ${JSON.stringify(answer.body)}`,
              );
          }),
        );
      },
    });
  }
  for (let index = 0; index < runs / 12; index += 1)
    actions.push(createCancelAction(random, durationMs, door, ledger));
  for (let index = 0; index < runs / 10; index += 1)
    actions.push(createRepairAction(random, durationMs, door, ledger));
  return actions.toSorted((one, other) => one.at - other.at);
}

/** Cancels one of the runs that were acknowledged last: they are the active ones. */
function createCancelAction(
  random: SeededRandom,
  durationMs: number,
  door: ApiEndpoints,
  ledger: Ledger,
): ClientAction {
  const [at, back, engine] = [random.integer(0, durationMs), random.integer(1, 6), random.integer(0, 1)];
  return {
    at,
    async perform() {
      const runId = ledger.acknowledgedRuns.at(-back)?.runId;
      if (runId === undefined) return;
      const answer = await sendUntilAnswered(door, ledger, engine, 'POST', '2.1/jobs/runs/cancel', {
        run_id: runId,
      });
      if (answer.status === 200) ledger.cancelledRuns.set(runId, Date.now());
      else
        ledger.unexpectedResponses.push(
          `A cancel was refused: ${answer.status} ${JSON.stringify(answer.body)}`,
        );
      incrementCount(ledger, 'cancels');
    },
  };
}

/** Repairs a run that did not succeed, if there is one to repair. */
function createRepairAction(
  random: SeededRandom,
  durationMs: number,
  door: ApiEndpoints,
  ledger: Ledger,
): ClientAction {
  const [at, engine, dependents] = [
    random.integer(durationMs / 4, durationMs),
    random.integer(0, 1),
    random.chance(0.4),
  ];
  return {
    at,
    async perform() {
      const { body } = await sendUntilAnswered(door, ledger, engine, 'GET', '2.1/jobs/runs/list', {
        completed_only: true,
        limit: 50,
        expand_tasks: true,
      });
      const failed = toRecords(body['runs']).find(
        (run) =>
          Object(run['state'])['result_state'] === 'FAILED' &&
          toRecords(run['tasks']).length > 1 &&
          !ledger.repairedRuns.includes(Number(run['run_id'])),
      );
      if (failed === undefined) return;
      const runId = Number(failed['run_id']);
      ledger.repairedRuns.push(runId);
      // Asked again after it was done it is refused: a second repair would have to name the first.
      const { status } = await sendUntilAnswered(door, ledger, engine, 'POST', '2.1/jobs/runs/repair', {
        run_id: runId,
        rerun_all_failed_tasks: true,
        rerun_dependent_tasks: dependents,
      });
      incrementCount(ledger, status === 200 ? 'repairs' : 'repairs that were refused');
    },
  };
}

function toRecords(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.map((one: unknown) => ({ ...Object(one) })) : [];
}

/** Creates the jobs of a scene, before the storm. @returns their ids */
export async function createJobs(
  jobs: readonly ChaosJob[],
  door: ApiEndpoints,
  ledger: Ledger,
): Promise<number[]> {
  const ids: number[] = [];
  for (const job of jobs) {
    const { status, body } = await sendUntilAnswered(
      door,
      ledger,
      0,
      'POST',
      `${job.version}/jobs/create`,
      job.settings(ids),
    );
    if (status !== 200)
      throw new Error(
        `A job of the mix was refused: ${JSON.stringify(body)} for ${JSON.stringify(job.settings(ids))}`,
      );
    ids.push(Number(body['job_id']));
  }
  return ids;
}
