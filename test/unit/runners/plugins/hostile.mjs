/** Faulty plugin for tests; `do` selects its behavior. */
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';

const never = new Promise(() => undefined);

const behaviors = {
  succeed: async () => ({ kind: 'succeeded' }),
  throw: async () => {
    throw new Error('no luck');
  },
  nonsense: async () => ({ kind: 'splendid' }),
  hang: () => never,
  async block() {
    for (;;);
  },
  async exit() {
    process.exit(7);
  },
  async uncaught() {
    setTimeout(() => {
      throw new Error('from a callback');
    });
    return never;
  },
  async unhandled() {
    void Promise.reject(new Error('rejected without a handler'));
    return never;
  },
  async leak() {
    const kept = [];
    for (;;) {
      kept.push(Array.from({ length: 100_000 }, (_, index) => ({ index })));
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    }
  },
  /** Waits in a process until a file exists. */
  async wait({ until }, context) {
    const exit = await context.exec({
      argv: ['/bin/sh', '-c', 'echo once; until [ -e "$0" ]; do sleep 0.05; done', until],
    });
    return exit.kind === 'exited' ? { kind: 'succeeded' } : { kind: 'stopped' };
  },
  async look(_task, context) {
    await context.writeOutput({
      result: JSON.stringify({ environment: process.env, own: context.environment }),
      error: 'x'.repeat(5_000),
      other: 1,
    });
    return { kind: 'failed', message: `\0${'y'.repeat(5_000)}` };
  },
};

export const plugin = {
  contract: 1,
  kind: 'hostile_task',
  needsCluster: false,
  schema: {
    type: 'object',
    required: ['do'],
    properties: { do: { type: 'string', enum: Object.keys(behaviors) }, until: { type: 'string' } },
  },
  async run(task, context) {
    await appendFile(join(context.directory, 'calls'), `${task.do}\n`);
    return behaviors[task.do](task, context);
  },
};
