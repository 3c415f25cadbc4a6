/** The benchmarks of `npm run bench`, in the order in which they run. */
import type { Benchmark } from './benchmark.ts';
import { chain } from './chain.ts';
import { idleEngine } from './idle-engine.ts';
import { millionRuns } from './million-runs.ts';
import { noOpRuns } from './no-op-runs.ts';
import { processStarts } from './process-starts.ts';
import { pythonLatency, warmStarts } from './python-starts.ts';
import { longFibonacci, pythonRuns, shortFibonacci } from './python-runs.ts';

export const benchmarks: readonly Benchmark[] = [
  noOpRuns,
  chain,
  pythonRuns,
  shortFibonacci,
  longFibonacci,
  pythonLatency,
  warmStarts,
  processStarts,
  millionRuns,
  idleEngine,
];
