/** A task kind without a process: it succeeds at once. The benchmarks use it to measure the engine alone. */
import { appendFileSync } from 'node:fs';

/** @type {import('../../runners/contract.ts').RunnerPlugin<any>} */
export const plugin = {
  contract: 1,
  kind: 'no_op_task',
  needsCluster: false,
  schema: {
    type: 'object',
    description: 'Succeeds at once.',
    additionalProperties: false,
    properties: {
      mark_file: {
        type: 'string',
        description: 'File to which the task appends the monotonic time of its start, in ns.',
      },
    },
  },
  async run({ mark_file: file }) {
    if (file !== undefined) appendFileSync(file, `${process.hrtime.bigint()}\n`);
    return { kind: 'succeeded' };
  },
};
