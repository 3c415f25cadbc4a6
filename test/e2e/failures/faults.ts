/** All faults of the battery. */
import { clusterFaults } from './cluster-faults.ts';
import type { Fault } from './fault.ts';
import { graphFaults } from './graph-faults.ts';
import { notebookFaults } from './notebook-faults.ts';
import { programFaults } from './program-faults.ts';

export const faults: readonly Fault[] = [
  ...programFaults,
  ...notebookFaults,
  ...clusterFaults,
  ...graphFaults,
];
