/**
 * Preload of the process of an update: kills it with SIGKILL before a given file operation in the storage,
 * and lists these operations on exit.
 */
import { promises } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const dieAt = process.env['DIE_AT'] ?? '';
const storage = process.env['DIE_IN'] ?? '';
/** Number of calls by operation and path, with numbers and ids in paths replaced. */
const counts = new Map<string, number>();
const steps: string[] = [];

for (const name of ['mkdir', 'rename', 'symlink', 'link', 'rm', 'open'] as const) {
  const original: (...args: never[]) => unknown = promises[name];
  Object.assign(promises, {
    [name]: (...args: unknown[]) => {
      const path = args.find((arg) => typeof arg === 'string' && arg.startsWith(storage));
      if (typeof path === 'string') {
        const operation = `${name} ${path
          .slice(storage.length)
          .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'id')
          .replaceAll(/\d+/g, '0')}`;
        counts.set(operation, (counts.get(operation) ?? 0) + 1);
        const step = `${operation} (${counts.get(operation) ?? 0})`;
        steps.push(step);
        if (step === dieAt) process.kill(process.pid, 'SIGKILL');
      }
      return Reflect.apply(original, promises, args);
    },
  });
}
syncBuiltinESMExports();
process.on('exit', () => process.stderr.write(`steps ${JSON.stringify(steps)}\n`));
