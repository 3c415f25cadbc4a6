/** Whatever is sent to an operation: it is done or refused in words, the service lives, and a refusal changes nothing. */
import * as fc from 'fast-check';
import { afterAll, beforeAll, test } from 'vitest';
import { requests } from './fuzz-requests.ts';
import { lastError, startFuzzedService, type FuzzedService } from './fuzz-service.ts';

/** Raise it to look for longer. A failure prints the seed and the path that replay it. */
const times = 1;

let service: FuzzedService;
beforeAll(async () => { service = await startFuzzedService(); });
afterAll(() => service.close());

test('every operation answers whatever it is sent, and a refusal changes nothing', async () => {
  const problems = new Map<string, any>();
  const seen = new Map<string, number>();
  await fc.assert(fc.asyncProperty(requests(service), async (request) => {
    lastError.value = '';
    let status = 0;
    const started = Date.now();
    try { ({ status } = await service.send(request)); } catch (error: any) {
      const key = String(request.url).split('?')[0] + ' ' + lastError.value.slice(0,300) + (lastError.value === '' ? (error.message + ' ' + JSON.stringify([error.expected, error.actual])).slice(0,1500) : JSON.parse(lastError.value).err.stack.slice(0, 400));
      const short = key.replace(/\d+/g, 'N');
      if (!problems.has(short)) problems.set(short, [0, decodeURIComponent(String(request.url).replace(/%/g,'%25')).slice(0,300) + ' ' + String(request.payload).slice(0, 600)]);
      problems.get(short)[0] += 1;
    }
    const took = Date.now() - started;
    if (took > 300) process.stdout.write(`SLOW ${took} ${request.method} ${String(request.url).slice(0, 200)} ${String(request.payload).slice(0,200)}\n`);
    const k = `${request.method} ${String(request.url).split('?')[0]?.replace(/\/api\/2../,'').replace(/(token|jobs)\/[^/]+$/, (x) => /^jobs\/[a-z-]+$/.test(x) ? x : 'jobs/X')} ${status}`;
    seen.set(k, (seen.get(k) ?? 0) + 1);
  }), { numRuns: 4_000 * times, endOnFailure: true });
  for (const [k, v] of problems) process.stdout.write(`\n#### ${v[0]}x ${k}\n---- ${v[1]}\n`);
  process.stdout.write([...seen].toSorted().map(([a,b]) => `${a} ${b}`).join('\n')+'\n');
}, 600_000 * times);
