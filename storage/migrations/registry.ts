/**
 * The migrations in the order in which they run.
 *
 * A released migration is never edited: databases of users have run it. test/unit/storage/migrations.test.ts
 * keeps a hash of each one. To change the schema:
 *
 * 1. Add `0008-<what-changes>.ts` that exports its statements, and add it to the list below, with the next
 *    number.
 * 2. Make the change in a way that the version before it keeps working, because the two run side by side
 *    during an upgrade: add (nullable or with a default), backfill, switch the code, drop in a later version.
 * 3. Follow the change in storage/postgres/schema.ts (or the `*-schema.ts` beside the statements).
 * 4. Run `node test/fixtures/schema/dump.ts`. It writes `test/fixtures/schema/0008.sql`, a dump with data
 *    from which the upgrade tests start, and prints the hash to add to the test. Older dumps stay as they are.
 */
import { initial } from './0001-initial.ts';
import { manageClusters } from './0002-manage-clusters.ts';
import { repairAndParallelTasks } from './0003-repair-and-parallel-tasks.ts';
import { failureExplanations } from './0004-failure-explanations.ts';
import { hotPath } from './0005-hot-path.ts';
import { explanationsOfRounds } from './0006-explanations-of-rounds.ts';
import { sharedSettingsAndActiveRuns } from './0007-shared-settings-and-active-runs.ts';

export interface Migration {
  /** Four digits and words in kebab case, as the file: `0001-initial`. */
  readonly name: string;
  /** SQL statements, run in one transaction. */
  readonly statements: readonly string[];
}

export const migrations: readonly Migration[] = [
  { name: '0001-initial', statements: initial },
  { name: '0002-manage-clusters', statements: manageClusters },
  { name: '0003-repair-and-parallel-tasks', statements: repairAndParallelTasks },
  { name: '0004-failure-explanations', statements: failureExplanations },
  { name: '0005-hot-path', statements: hotPath },
  { name: '0006-explanations-of-rounds', statements: explanationsOfRounds },
  { name: '0007-shared-settings-and-active-runs', statements: sharedSettingsAndActiveRuns },
];
