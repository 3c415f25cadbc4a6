/** Pacing of launches by the ends of short runs. */
import { expect, test } from 'vitest';
import { createLaunchPacing } from '../../../../engine/coordinator/launch-pacing.ts';
import { createManualClock } from '../../../harness/manual-clock.ts';

/** Creates pacing for an engine that drives `driven` runs, and a function that starts launches. */
function createPacing(driven: number, endedBefore: number) {
  const clock = createManualClock();
  const state = { driven };
  const pacing = createLaunchPacing({ clock, threshold: 100, countDrivenRuns: () => state.driven });
  const endRuns = (count: number): void => {
    for (let ended = 0; ended < count; ended += 1) pacing.recordEnd();
  };
  endRuns(endedBefore);
  let launched = 0;
  const launch = async (count: number): Promise<number> => {
    for (let one = 0; one < count; one += 1) void pacing.waitForTurn().then(() => (launched += 1));
    await Promise.resolve();
    return launched;
  };
  return { clock, state, endRuns, launch };
}

test.each([
  ['few runs are active', 50, 500, 10],
  ['the active runs are long: none has ended', 500, 0, 10],
  ['many short runs are active', 500, 500, 0],
])(
  'when %s (%i driven, %i ended), %i-10 of 10 launches go on at once',
  async (_, driven, ended, expected) => {
    expect(await createPacing(driven, ended).launch(10)).toBe(expected);
  },
);

test('each end lets launches go on up to the threshold, in their order', async () => {
  const { state, endRuns, launch } = createPacing(102, 500);
  expect(await launch(10)).toBe(0);
  state.driven = 101;
  endRuns(1);
  expect(await launch(0)).toBe(0);
  state.driven = 97;
  endRuns(1);
  expect(await launch(0)).toBe(3);
});

test('a launch waits at most a second', async () => {
  const { clock, launch } = createPacing(500, 500);
  expect(await launch(3)).toBe(0);
  await clock.advance(1_000);
  expect(await launch(0)).toBe(3);
});
