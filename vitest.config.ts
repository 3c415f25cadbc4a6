/**
 * Test runner settings: two processes, each taking one file after the other; each file has a database and a
 * service of its own.
 */
import { defineConfig } from 'vitest/config';
import { SlowestFirstSequencer } from './test/harness/slowest-first-sequencer.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/harness/scratch-postgres.ts', 'test/harness/build-console.ts'],
    pool: 'forks',
    // What a file needs it starts and ends itself, so that modules are read once and not for each of the
    // files.
    isolate: false,
    sequence: { sequencer: SlowestFirstSequencer },
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
