/** Task kind `http_request_task`: sends an HTTP request and checks the status of the response. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** @type {import('../../runners/contract.ts').RunnerPlugin<any>} */
export const plugin = {
  contract: 1,
  kind: 'http_request_task',
  needsCluster: false,
  schema: {
    type: 'object',
    description: 'Sends an HTTP request; succeeds if the response has an expected status.',
    required: ['url'],
    additionalProperties: false,
    properties: {
      url: { type: 'string', pattern: '^https?://', description: 'URL of the request.' },
      method: {
        type: 'string',
        enum: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
        description: 'Default: GET.',
      },
      headers: {
        type: 'object',
        additionalProperties: { type: 'string' },
        description: 'Headers of the request.',
      },
      body: { type: 'string', description: 'Body of the request. Default: none.' },
      expected_status: {
        type: 'array',
        items: { type: 'integer', minimum: 100, maximum: 599 },
        description: 'Default: 200 to 299.',
      },
      timeout_seconds: {
        type: 'integer',
        minimum: 1,
        maximum: 3600,
        description: 'Maximum time for the whole response. Default: 30.',
      },
    },
  },

  async run(task, context) {
    const { status, body } = (await readStoredResponse(context)) ?? (await send(task, context)) ?? {};
    if (context.signal.aborted) return { kind: 'stopped' };
    if (status === undefined) return { kind: 'failed', message: `${task.url} did not answer.` };
    const expected = task.expected_status?.includes(status) ?? (status >= 200 && status < 300);
    if (expected) {
      await context.writeOutput({ result: body });
      return { kind: 'succeeded' };
    }
    const message = `${task.url} answered with status ${status}.`;
    await context.writeOutput({ error: message, errorTrace: body });
    return { kind: 'failed', message };
  },
};

/**
 * Sends the request and stores the response: an engine that restarts calls `run` again, and must not repeat
 * the request.
 */
async function send(task, context) {
  const timeout = AbortSignal.timeout((task.timeout_seconds ?? 30) * 1_000);
  try {
    const response = await fetch(task.url, {
      method: task.method ?? 'GET',
      headers: { 'Idempotency-Key': `runyard-${context.runId}`, ...task.headers },
      ...(task.body !== undefined && { body: task.body }),
      signal: AbortSignal.any([context.signal, timeout]),
    });
    const answer = { status: response.status, body: await response.text() };
    context.log(`${task.url} answered with status ${answer.status}`);
    await writeFile(join(context.directory, 'answer.json'), JSON.stringify(answer));
    return answer;
  } catch (error) {
    await context.writeOutput({
      error: `${task.url} did not answer: ${error.cause?.message ?? error.message}`,
    });
    return undefined;
  }
}

async function readStoredResponse(context) {
  try {
    return JSON.parse(await readFile(join(context.directory, 'answer.json'), 'utf8'));
  } catch {
    return undefined;
  }
}
