/**
 * Engine and reference model agree on everything that can be seen, whatever jobs, outcomes, cancels, limits,
 * times and crashes.
 */
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';
import { createMemoryBackend, createPostgresBackend } from './store-backend.ts';
import { scenarioArbitrary, type GeneratedScenario } from './generators.ts';
import { compareWithReference, createComparisonStatistics } from './compare-with-reference.ts';

/**
 * The same cases each time, so that a change of the engine is told from luck; MODEL_CASES and MODEL_SQL_CASES
 * look at other ones, as many as they say. A failing case is replayed by what its message says.
 */
const { MODEL_SEED, MODEL_PATH, MODEL_CASES, MODEL_SQL_CASES } = process.env;
const usualSeed = 31;

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

async function check(numRuns: number, lived: (world: GeneratedScenario) => Promise<void>): Promise<void> {
  const elsewhere = MODEL_SEED === undefined && (MODEL_CASES !== undefined || MODEL_SQL_CASES !== undefined);
  const seed = elsewhere ? {} : { seed: Number(MODEL_SEED ?? usualSeed) };
  const details = await fc.check(fc.asyncProperty(scenarioArbitrary, lived), {
    numRuns,
    ...seed,
    ...(MODEL_PATH !== undefined && { path: MODEL_PATH }),
  });
  if (!details.failed) return;
  throw new Error(
    `Replay this with: MODEL_SEED=${details.seed} MODEL_PATH=${details.counterexamplePath} npx vitest run test/model/model.test.ts -t '${expect.getState().currentTestName}'\n` +
      `${String(details.errorInstance)}\n${fc.defaultReportMessage(details)}`,
  );
}

test('spec 3.1, 3.2: in memory, with engines that die at any call of a store', async () => {
  const tally = createComparisonStatistics();
  await check(Number(MODEL_CASES ?? 2_000), (world) =>
    compareWithReference(createMemoryBackend(), world, tally),
  );
  process.stdout.write(`Lived through: ${JSON.stringify(tally)}\n`);
  // Few lives end before their time.
  expect(tally.ambiguous).toBeLessThan(tally.cases / 5 + 1);
}, 3_600_000);

test('spec 3.1, 3.2: on PostgreSQL', async () => {
  const tally = createComparisonStatistics();
  await check(Number(MODEL_SQL_CASES ?? 40), async (world) =>
    compareWithReference(await createPostgresBackend(database), world, tally),
  );
}, 3_600_000);
