/** Keeping a server running, with servers that are only promised. */
import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import type { Clock } from '../../../engine/clock.ts';
import type { Server } from '../../../storage/embedded/server-process.ts';
import { superviseServer } from '../../../storage/embedded/watchdog.ts';

const log = pino({ level: 'silent' });

/** A clock that stands still until a timer is fired by hand. */
function handClock() {
  let now = 0;
  const timers: { at: number; action: () => void }[] = [];
  const clock: Clock = {
    now: () => now,
    runAt(at, action) {
      const timer = { at, action };
      timers.push(timer);
      return () => void timers.splice(timers.indexOf(timer), timers.includes(timer) ? 1 : 0);
    },
  };
  /** Waits for the next timer, fires it and returns how long it was to wait. */
  const fireNext = async (): Promise<number> => {
    const timer = await vi.waitUntil(() => timers[0], { interval: 1 });
    const waited = timer.at - now;
    now = timer.at;
    timer.action();
    return waited;
  };
  return { clock, fireNext, timers, advance: (milliseconds: number) => void (now += milliseconds) };
}

function fakeServer() {
  const { promise, resolve } = Promise.withResolvers<string>();
  const server: Server = { pid: 1, exited: promise, stop: vi.fn(async () => resolve('stopped')) };
  return { server, crash: () => resolve('signal SIGKILL') };
}

test('a server that ends is started again, waiting twice as long after every failure, at most 5 s', async () => {
  const { clock, fireNext } = handClock();
  const [first, second] = [fakeServer(), fakeServer()];
  const launch = vi.fn<() => Promise<Server>>().mockResolvedValueOnce(first.server);
  for (let failure = 0; failure < 7; failure += 1) launch.mockRejectedValueOnce(new Error('disk full'));
  launch.mockResolvedValueOnce(second.server);
  const kept = await superviseServer(launch, clock, log);
  first.crash();
  const waits = [];
  for (let attempt = 0; attempt < 8; attempt += 1) waits.push(await fireNext());
  expect(waits).toEqual([100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000]);
  await vi.waitUntil(() => launch.mock.calls.length === 9, { interval: 1 });
  await kept.stop();
  expect(second.server.stop).toHaveBeenCalled();
});

test('a server that stayed up for long is started again quickly, one that keeps falling is not', async () => {
  const { clock, fireNext, advance } = handClock();
  const servers = Array.from({ length: 4 }, fakeServer);
  const launch = vi.fn<() => Promise<Server>>();
  for (const { server } of servers) launch.mockResolvedValueOnce(server);
  const kept = await superviseServer(launch, clock, log);
  const waits = [];
  for (const [index, uptime] of [0, 0, 5_001].entries()) {
    advance(uptime);
    servers[index]?.crash();
    waits.push(await fireNext());
    await vi.waitUntil(() => launch.mock.calls.length === index + 2, { interval: 1 });
    // Only now does the watch look at the clock for the server just started.
    await Promise.resolve();
  }
  expect(waits).toEqual([100, 200, 100]);
  await kept.stop();
});

test('stop wins over a server that is waiting to be started again', async () => {
  const { clock, timers } = handClock();
  const { server, crash } = fakeServer();
  const launch = vi.fn(async () => server);
  const kept = await superviseServer(launch, clock, log);
  crash();
  await vi.waitUntil(() => timers.length === 1, { interval: 1 });
  await kept.stop();
  expect(timers).toEqual([]);
  expect(launch).toHaveBeenCalledTimes(1);
});

test('stop gives up a start that is under way', async () => {
  const { clock, fireNext } = handClock();
  const { server, crash } = fakeServer();
  const launch = vi
    .fn(
      (signal: AbortSignal): Promise<Server> =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(new Error('given up')));
        }),
    )
    .mockResolvedValueOnce(server);
  const kept = await superviseServer(launch, clock, log);
  crash();
  await fireNext();
  await vi.waitUntil(() => launch.mock.calls.length === 2, { interval: 1 });
  await kept.stop();
});

test('a first start that fails is told to the caller', async () => {
  const { clock } = handClock();
  await expect(superviseServer(() => Promise.reject(new Error('no space')), clock, log)).rejects.toThrow(
    'no space',
  );
});
