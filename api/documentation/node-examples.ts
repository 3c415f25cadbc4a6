/** Examples of operations on nodes. */
import type { Example } from './example.ts';

export const nodeExamples: Readonly<Record<string, Example>> = {
  'GET /nodes': {
    request: {},
    answer: {
      nodes: [
        {
          node_id: '0b9f3a52-7c0e-4f0a-9d0c-2f6f8d1c7a11',
          host: 'jobs-1',
          pid: 4711,
          state: 'ALIVE',
          joined_time: 1_770_000_000_000,
          lease_until: 1_770_000_015_000,
          active_runs: 3,
          running_tasks: 5,
        },
      ],
    },
  },
};
