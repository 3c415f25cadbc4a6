/** Every statement of the engine fails once, before or after it takes effect; the scenario ends the same. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';
import { runFaultScenario } from './fault-scenario.ts';
import { faultModes, openFaultyDatabase, type FaultyDatabase } from './faulty-database.ts';

/** Distance of the failing statements; FAULTS_EVERY=1 covers every statement. */
const every = Number(process.env['FAULTS_EVERY'] ?? '36');

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

test.each(faultModes.map((mode, index) => [mode, index] as const))(
  '%s: the runs end right, with one process for each attempt',
  async (mode, index) => {
    const right = await runFaultScenario(database, faulty, 0, mode);
    const statements = faulty.statementCount();
    const wrong: string[] = [];
    let [stories, failed] = [0, 0];
    // Each mode covers different statements when the distance is above 1.
    for (
      let statement = 1 + Math.floor((index * every) / faultModes.length);
      statement <= statements;
      statement += every
    ) {
      const end = await runFaultScenario(database, faulty, statement, mode).catch((error: unknown) => [
        String(error),
      ]);
      stories += 1;
      if (faulty.failedStatement() !== undefined) failed += 1;
      if (end.join('\n') === right.join('\n')) continue;
      const only = (own: readonly string[], other: readonly string[]) =>
        own.filter((line) => !other.includes(line)).join('\n    ');
      wrong.push(
        `statement ${statement} of ${statements} (${faulty.failedStatement()}):\n  is\n    ${only(end, right)}\n  and not\n    ${only(right, end)}`,
      );
    }
    expect(wrong.join('\n')).toBe('');
    process.stdout.write(`${mode}: ${failed} of ${statements} statements failed once\n`);
    // A fault can shorten the scenario by its last statements.
    expect(failed).toBeGreaterThan(stories * 0.9);
  },
  3_600_000,
);
