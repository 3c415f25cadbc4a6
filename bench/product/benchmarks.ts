/** The benchmarks of `npm run bench`, in the order in which they run. */
import type { Benchmark } from './benchmark.ts';
import { chain } from './chain.ts';
import { coldStart } from './cold-start.ts';
import { graphs } from './graphs.ts';
import { idleEngine } from './idle-engine.ts';
import { load } from './load.ts';
import { millionRuns } from './million-runs.ts';
import { noOpRuns } from './no-op-runs.ts';
import { processStarts } from './process-starts.ts';
import { pythonLatency, warmStarts } from './python-starts.ts';
import { peers } from './peers.ts';
import { longFibonacci, pythonRuns, shortFibonacci } from './python-runs.ts';
import { dueSchedules } from './schedules.ts';

export const benchmarks: readonly Benchmark[] = [
  noOpRuns,
  peers,
  chain,
  graphs,
  load,
  pythonRuns,
  shortFibonacci,
  longFibonacci,
  pythonLatency,
  warmStarts,
  processStarts,
  millionRuns,
  dueSchedules,
  coldStart,
  idleEngine,
];
