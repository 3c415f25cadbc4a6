/** A task kind without a process: it succeeds at once. The benchmarks use it to measure the engine alone. */
import { appendFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/** @type {import('../../runners/contract.ts').RunnerPlugin<any>} */
export const plugin = {
  contract: 1,
  kind: 'no_op_task',
  needsCluster: false,
  schema: {
    type: 'object',
    description: 'Succeeds at once, or after a time.',
    additionalProperties: false,
    properties: {
      mark_file: {
        type: 'string',
        description: 'File to which the task appends the monotonic time of its start, in ns.',
      },
      milliseconds: { type: 'integer', description: 'Duration of the task.' },
    },
  },
  async run({ mark_file: file, milliseconds }) {
    if (file !== undefined) appendFileSync(file, `${process.hrtime.bigint()}\n`);
    if (milliseconds !== undefined) await pause(milliseconds);
    return { kind: 'succeeded' };
  },
};
