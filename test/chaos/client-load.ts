/**
 * Clients of a scenario: they send the drawn requests, repeatedly and to both engines, until acknowledged.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { drawSubmission, type ChaosJob } from './job-mix.ts';
import { incrementCount, type Ledger } from './client-ledger.ts';
import type { SeededRandom } from './seeded-random.ts';

/** Addresses and token with which clients reach the engines. */
export interface ApiEndpoints {
  /** Returns the address of an engine; undefined while it is down. */
  readonly urls: readonly (() => string | undefined)[];
  readonly token: string;
}

interface ApiResponse {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/** Longer than the pause of an engine, which still receives the request that its client repeats elsewhere. */
const requestTimeoutMs = 12_000;
const retryDelayMs = 250;

/** Sends one request to one engine; undefined when no response arrives. */
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
 * Sends a request to the engines in turn until one gives a final response.
 * @returns the response; its status is 200 or that of a refusal
 */
export async function sendUntilAnswered(
  endpoints: ApiEndpoints,
  ledger: Ledger,
  firstEngine: number,
  method: 'GET' | 'POST',
  path: string,
  input: object,
): Promise<ApiResponse> {
  for (let tries = 0; ; tries += 1) {
    const response = await sendRequest(
      endpoints,
      (firstEngine + tries) % endpoints.urls.length,
      method,
      path,
      input,
    );
    if (response !== undefined && !retryableStatuses.has(response.status)) {
      if (response.status >= 500)
        ledger.unexpectedResponses.push(
          `${method} ${path} ${JSON.stringify(input)}: ${response.status} ${JSON.stringify(response.body)}`,
        );
      if (response.status < 500) return response;
    }
    incrementCount(ledger, 'retried requests');
    await sleep(retryDelayMs);
  }
}

/** Action of a client at a given time of a scenario. */
export interface ClientAction {
  /** Milliseconds since the start of the load. */
  readonly at: number;
  perform(): Promise<void>;
}

export interface LoadPlan {
  readonly durationMs: number;
  /** Number of runs that clients start. */
  readonly runs: number;
  /** Ids of the stored jobs. */
  readonly jobs: readonly number[];
}

const launchWeights = { runNow: 72, submit: 28 } as const;

/** Draws all client actions of a scenario before the first one runs. */
export function createClientActions(
  random: SeededRandom,
  { durationMs, runs, jobs }: LoadPlan,
  endpoints: ApiEndpoints,
  ledger: Ledger,
): ClientAction[] {
  const actions: ClientAction[] = [];
  for (let index = 0; index < runs; index += 1) {
    const kind = random.weighted(launchWeights);
    const token = `token-${index}`;
    const engines = random.pick([[0], [1], [0, 1], [1, 0, 1]]);
    const submission = kind === 'submit' ? drawSubmission(random.fork(token), token) : undefined;
    const jobId = random.pick(jobs);
    actions.push({
      at: random.integer(0, durationMs),
      async perform() {
        await Promise.all(
          engines.map(async (engine) => {
            const response = await sendUntilAnswered(
              endpoints,
              ledger,
              engine,
              'POST',
              submission === undefined ? '2.1/jobs/run-now' : `${submission.version}/jobs/runs/submit`,
              submission === undefined
                ? { job_id: jobId, idempotency_token: token }
                : { ...submission.settings, idempotency_token: token },
            );
            if (response.status === 200)
              ledger.acknowledgedRuns.push({
                scope: submission === undefined ? jobId : 0,
                token,
                runId: Number(response.body['run_id']),
              });
            else
              ledger.unexpectedResponses.push(
                `The start of a run was refused: ${response.status} ${JSON.stringify(response.body)}`,
              );
          }),
        );
      },
    });
  }
  for (let index = 0; index < runs / 12; index += 1)
    actions.push(createCancelAction(random, durationMs, endpoints, ledger));
  for (let index = 0; index < runs / 10; index += 1)
    actions.push(createRepairAction(random, durationMs, endpoints, ledger));
  return actions.toSorted((one, other) => one.at - other.at);
}

/** Cancels one of the latest acknowledged runs, which are likely to be active. */
function createCancelAction(
  random: SeededRandom,
  durationMs: number,
  endpoints: ApiEndpoints,
  ledger: Ledger,
): ClientAction {
  const [at, offset, engine] = [random.integer(0, durationMs), random.integer(1, 6), random.integer(0, 1)];
  return {
    at,
    async perform() {
      const runId = ledger.acknowledgedRuns.at(-offset)?.runId;
      if (runId === undefined) return;
      const response = await sendUntilAnswered(endpoints, ledger, engine, 'POST', '2.1/jobs/runs/cancel', {
        run_id: runId,
      });
      if (response.status === 200) ledger.cancelledRuns.set(runId, Date.now());
      else
        ledger.unexpectedResponses.push(
          `A cancel was refused: ${response.status} ${JSON.stringify(response.body)}`,
        );
      incrementCount(ledger, 'cancels');
    },
  };
}

/** Repairs a failed run with several tasks, if there is one. */
function createRepairAction(
  random: SeededRandom,
  durationMs: number,
  endpoints: ApiEndpoints,
  ledger: Ledger,
): ClientAction {
  const [at, engine, includeDependents] = [
    random.integer(durationMs / 4, durationMs),
    random.integer(0, 1),
    random.chance(0.4),
  ];
  return {
    at,
    async perform() {
      const { body } = await sendUntilAnswered(endpoints, ledger, engine, 'GET', '2.1/jobs/runs/list', {
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
      // A repeated request is refused after the first succeeded: a second repair must name the first one.
      const { status } = await sendUntilAnswered(endpoints, ledger, engine, 'POST', '2.1/jobs/runs/repair', {
        run_id: runId,
        rerun_all_failed_tasks: true,
        rerun_dependent_tasks: includeDependents,
      });
      incrementCount(ledger, status === 200 ? 'repairs' : 'refused repairs');
    },
  };
}

function toRecords(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.map((item: unknown) => ({ ...Object(item) })) : [];
}

/** Creates the jobs of a scenario. @returns their ids */
export async function createJobs(
  jobs: readonly ChaosJob[],
  endpoints: ApiEndpoints,
  ledger: Ledger,
): Promise<number[]> {
  const ids: number[] = [];
  for (const job of jobs) {
    const { status, body } = await sendUntilAnswered(
      endpoints,
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
