/** Each statement of the engine fails once, before it took effect or after: the same story ends the same. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../setup/database.ts';
import { liveStory } from './fault-story.ts';
import { faultModes, openFaultyDatabase, type FaultyDatabase } from './faulty-database.ts';

/** Every n-th statement fails; FAULTS_EVERY=1 leaves none out. FAULTS_FROM: begin with another one. */
const { FAULTS_EVERY = '9', FAULTS_FROM = '1' } = process.env;

let database: TestDatabase;
let faulty: FaultyDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  faulty = openFaultyDatabase(database.address);
});
afterAll(async () => {
  await faulty.close();
  await database.drop();
});

test.each(faultModes)('%s: the runs end right, with one process for each attempt', async (mode) => {
  const right = await liveStory(database, faulty, 0, mode);
  const statements = faulty.statements();
  const wrong: string[] = [];
  let failed = 0;
  for (let statement = Number(FAULTS_FROM); statement <= statements; statement += Number(FAULTS_EVERY)) {
    const end = await liveStory(database, faulty, statement, mode).catch((error: unknown) => [String(error)]);
    if (faulty.failed() !== undefined) failed += 1;
    if (end.join('\n') === right.join('\n')) continue;
    const only = (own: readonly string[], other: readonly string[]) => own.filter((line) => !other.includes(line)).join('\n    ');
    if (process.env.SHOW) process.stderr.write(`wrong ${statement} ${faulty.failed()}\n${only(end, right)}\n`);
    wrong.push(`statement ${statement} of ${statements} (${faulty.failed()}):\n  is\n    ${only(end, right)}\n  and not\n    ${only(right, end)}`);
  }
  process.stderr.write(`${mode}: ${failed} of ${statements} statements failed once\n`);
  expect(wrong.join('\n')).toBe('');
}, 3_600_000);
