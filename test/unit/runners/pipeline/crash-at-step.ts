/**
 * Loaded before the process of an update: kills it right before one of its steps in the storage, as kill -9
 * would, or lists them all.
 */
import { promises } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const dieAt = process.env['DIE_AT'] ?? '';
const storage = process.env['DIE_IN'] ?? '';
/** What was done, and how often; numbers and ids in paths do not count. */
const times = new Map<string, number>();
const steps: string[] = [];

for (const name of ['mkdir', 'rename', 'symlink', 'link', 'rm', 'open'] as const) {
  const original: (...args: never[]) => unknown = promises[name];
  Object.assign(promises, {
    [name]: (...args: unknown[]) => {
      const path = args.find((arg) => typeof arg === 'string' && arg.startsWith(storage));
      if (typeof path === 'string') {
        const what = `${name} ${path
          .slice(storage.length)
          .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'id')
          .replaceAll(/\d+/g, '0')}`;
        times.set(what, (times.get(what) ?? 0) + 1);
        const step = `${what} (${times.get(what) ?? 0})`;
        steps.push(step);
        if (step === dieAt) process.kill(process.pid, 'SIGKILL');
      }
      return Reflect.apply(original, promises, args);
    },
  });
}
syncBuiltinESMExports();
process.on('exit', () => process.stderr.write(`steps ${JSON.stringify(steps)}\n`));
