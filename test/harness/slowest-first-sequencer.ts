/** Order of the test files: the slowest ones start first, so that both workers stay busy to the end. */
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Slowest files, longest first. All other files follow in the default order. */
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
      const index = slowest.indexOf(relative(file.project.config.root, file.moduleId));
      return index < 0 ? slowest.length : index;
    };
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other));
  }
}
