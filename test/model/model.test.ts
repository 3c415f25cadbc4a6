/** Engine and reference model agree on everything that can be seen, whatever jobs, outcomes, cancels, limits, times and crashes. */
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../setup/database.ts';
import { memoryBackend, sqlBackend } from './backend.ts';
import { worlds, type RandomWorld } from './generators.ts';
import { live, newTally } from './live.ts';

/** A failing case is replayed by what its message says (MODEL_SEED, MODEL_PATH); more cases are lived through with MODEL_CASES and MODEL_SQL_CASES. */
const { MODEL_SEED, MODEL_PATH, MODEL_CASES = '2000', MODEL_SQL_CASES = '40' } = process.env;

let database: TestDatabase;
beforeAll(async () => { database = await createTestDatabase(); });
afterAll(() => database.drop());

async function check(numRuns: number, lived: (world: RandomWorld) => Promise<void>): Promise<void> {
  const replay = MODEL_SEED === undefined ? {} : { seed: Number(MODEL_SEED), ...(MODEL_PATH !== undefined && { path: MODEL_PATH }) };
  const details = await fc.check(fc.asyncProperty(worlds, lived), { numRuns, ...replay });
  if (!details.failed) return;
  throw new Error(`Replay this with: MODEL_SEED=${details.seed} MODEL_PATH=${details.counterexamplePath} npx vitest run test/model/model.test.ts -t '${expect.getState().currentTestName}'\n`
    + `${String(details.errorInstance)}\n${fc.defaultReportMessage(details)}`);
}

test('spec 3.1, 3.2: in memory, with engines that die at any call of a store', async () => {
  const tally = newTally();
  await check(Number(MODEL_CASES), (world) => live(memoryBackend(), world, tally));
  process.stdout.write(`Lived through: ${JSON.stringify(tally)}\n`);
  // Few lives end before their time.
  expect(tally.ambiguous).toBeLessThan(tally.cases / 5 + 1);
}, 3_600_000);

test('spec 3.1, 3.2: on PostgreSQL', async () => {
  const tally = newTally();
  await check(Number(MODEL_SQL_CASES), async (world) => live(await sqlBackend(database), world, tally));
}, 3_600_000);
