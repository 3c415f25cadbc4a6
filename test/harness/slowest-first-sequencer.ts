/**
 * The order of the test files: those that take longest begin, so that none of them is left for the end while
 * a core stands idle.
 */
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Longest first. Files that are not named follow in an order of their own. */
const slowest = [
  'test/e2e/engine-crash.test.ts',
  'test/chaos/chaos.test.ts',
  'test/unit/api/fuzz.test.ts',
  'test/e2e/notifications-crash.test.ts',
  'test/model/statement-faults.test.ts',
  'test/e2e/api/dashboard-query.test.ts',
  'test/e2e/console/pages.test.ts',
  'test/e2e/console/dashboards.test.ts',
  'test/unit/storage/embedded.test.ts',
  'test/e2e/multiple-engines.test.ts',
  'test/model/model.test.ts',
];

export class SlowestFirstSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = (file: TestSpecification): number => {
      const place = slowest.indexOf(relative(file.project.config.root, file.moduleId));
      return place < 0 ? slowest.length : place;
    };
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other));
  }
}
