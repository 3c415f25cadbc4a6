/** Supervision of the embedded server, with fake servers. */
import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import type { Clock } from '../../../engine/clock.ts';
import type { Server } from '../../../storage/embedded/server-process.ts';
import { superviseServer } from '../../../storage/embedded/watchdog.ts';
import { eventually } from '../../harness/eventually.ts';

const log = pino({ level: 'silent' });

/** Creates a clock that moves only when a test fires a timer or advances it. */
function createTimerClock() {
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
  /** Waits for the next timer, fires it and returns its delay. */
  const fireNext = async (): Promise<number> => {
    await eventually(() => timers.length, { until: (count) => count > 0, every: 1 });
    const [timer] = timers;
    if (timer === undefined) throw new Error('The timer was removed.');
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

test('a server that ends restarts after a delay that doubles with every failure, up to 5 s', async () => {
  const { clock, fireNext } = createTimerClock();
  const [first, second] = [fakeServer(), fakeServer()];
  const launch = vi.fn<() => Promise<Server>>().mockResolvedValueOnce(first.server);
  for (let failure = 0; failure < 7; failure += 1) launch.mockRejectedValueOnce(new Error('disk full'));
  launch.mockResolvedValueOnce(second.server);
  const supervisor = await superviseServer(launch, clock, log);
  first.crash();
  const waits = [];
  for (let attempt = 0; attempt < 8; attempt += 1) waits.push(await fireNext());
  expect(waits).toEqual([100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000]);
  await eventually(() => expect(launch).toHaveBeenCalledTimes(9), { every: 1 });
  await supervisor.stop();
  expect(second.server.stop).toHaveBeenCalled();
});

test('the restart delay starts again at 100 ms for a server that ran longer than 5 s', async () => {
  const { clock, fireNext, advance } = createTimerClock();
  const servers = Array.from({ length: 4 }, fakeServer);
  const launch = vi.fn<() => Promise<Server>>();
  for (const { server } of servers) launch.mockResolvedValueOnce(server);
  const supervisor = await superviseServer(launch, clock, log);
  const waits = [];
  for (const [index, uptime] of [0, 0, 5_001].entries()) {
    advance(uptime);
    servers[index]?.crash();
    waits.push(await fireNext());
    await eventually(() => expect(launch).toHaveBeenCalledTimes(index + 2), { every: 1 });
    // The supervisor reads the clock for the new server in the next microtask.
    await Promise.resolve();
  }
  expect(waits).toEqual([100, 200, 100]);
  await supervisor.stop();
});

test('a stop cancels a scheduled restart', async () => {
  const { clock, timers } = createTimerClock();
  const { server, crash } = fakeServer();
  const launch = vi.fn(async () => server);
  const supervisor = await superviseServer(launch, clock, log);
  crash();
  await eventually(() => expect(timers).toHaveLength(1), { every: 1 });
  await supervisor.stop();
  expect(timers).toEqual([]);
  expect(launch).toHaveBeenCalledTimes(1);
});

test('a stop aborts a restart that is under way', async () => {
  const { clock, fireNext } = createTimerClock();
  const { server, crash } = fakeServer();
  const launch = vi
    .fn(
      (signal: AbortSignal): Promise<Server> =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(new Error('given up')));
        }),
    )
    .mockResolvedValueOnce(server);
  const supervisor = await superviseServer(launch, clock, log);
  crash();
  await fireNext();
  await eventually(() => expect(launch).toHaveBeenCalledTimes(2), { every: 1 });
  const signal = launch.mock.lastCall?.[0];
  expect(signal?.aborted).toBe(false);
  await supervisor.stop();
  expect(signal?.aborted).toBe(true);
});

test('a first start that fails rejects with its error', async () => {
  const { clock } = createTimerClock();
  await expect(superviseServer(() => Promise.reject(new Error('no space')), clock, log)).rejects.toThrow(
    'no space',
  );
});
