/** Query pool: queries of disconnected callers release their process or their place in the queue. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { defaultLimits } from '../../../engine/limits.ts';
import { createQueryPool, type QueryPool } from '../../../runners/query/query-pool.ts';
import { createTemporaryDirectory } from './test-context.ts';

const log = { info: () => undefined, warn: () => undefined, error: () => undefined, debug: () => undefined };
const runaway = 'SELECT sum(sqrt(range)) FROM range(10000000000000)';

let pool: QueryPool;
beforeEach(async () => {
  pool = createQueryPool({
    directory: await createTemporaryDirectory(),
    log,
    limits: {
      ...defaultLimits,
      dashboardQuerySeconds: 86_400,
      dashboardQueries: 1,
      dashboardQueriesWaiting: 1,
    },
  });
});
afterEach(() => pool.close());

test('an active or waiting query ends when its caller disconnects, and the queue has a limit', async () => {
  const [first, second] = [new AbortController(), new AbortController()];
  const running = pool.run(runaway, first.signal);
  const waiting = pool.run(runaway, second.signal);
  await expect(pool.run('SELECT 1', new AbortController().signal)).rejects.toMatchObject({
    code: 'REQUEST_LIMIT_EXCEEDED',
  });
  second.abort();
  await expect(waiting).rejects.toThrow('because the caller disconnected');
  first.abort();
  await expect(running).rejects.toThrow('because the caller disconnected');
  expect((await pool.run('SELECT 1 AS a', new AbortController().signal)).rows).toEqual([[1]]);
});
