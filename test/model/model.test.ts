/** Engine and reference model agree on the observable state for random jobs, commands, limits and crashes. */
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';
import { createMemoryBackend, createPostgresBackend } from './store-backend.ts';
import { scenarioArbitrary, type GeneratedScenario } from './generators.ts';
import { compareWithReference, createComparisonStatistics } from './compare-with-reference.ts';

/**
 * A fixed seed makes the test repeatable; MODEL_CASES and MODEL_SQL_CASES set the number of random cases
 * instead. The failure message contains the command that replays a case.
 */
const { MODEL_SEED, MODEL_PATH, MODEL_CASES, MODEL_SQL_CASES } = process.env;
const defaultSeed = 31;

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

async function check(
  numRuns: number,
  compare: (scenario: GeneratedScenario) => Promise<void>,
): Promise<void> {
  const isRandom = MODEL_SEED === undefined && (MODEL_CASES !== undefined || MODEL_SQL_CASES !== undefined);
  const seed = isRandom ? {} : { seed: Number(MODEL_SEED ?? defaultSeed) };
  const details = await fc.check(fc.asyncProperty(scenarioArbitrary, compare), {
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

test('spec 3.1, 3.2: an engine on memory stores that crashes at any store call agrees with the model', async () => {
  const statistics = createComparisonStatistics();
  await check(Number(MODEL_CASES ?? 1_200), (scenario) =>
    compareWithReference(createMemoryBackend(), scenario, statistics),
  );
  process.stdout.write(`Statistics: ${JSON.stringify(statistics)}\n`);
  // Few scenarios end early because their outcome is unspecified.
  expect(statistics.ambiguous).toBeLessThan(statistics.cases / 5 + 1);
}, 3_600_000);

test('spec 3.1, 3.2: an engine on PostgreSQL agrees with the model', async () => {
  const statistics = createComparisonStatistics();
  await check(Number(MODEL_SQL_CASES ?? 40), async (scenario) =>
    compareWithReference(await createPostgresBackend(database), scenario, statistics),
  );
}, 3_600_000);
