/** Examples of all operations in the API reference. */
import { canonicalPath } from '../../engine/validation/aliases.ts';
import type { Operation } from '../http/operation.ts';
import type { Example } from './example.ts';
import { clusterAccessExamples } from './cluster-access-examples.ts';
import { clusterExamples } from './cluster-examples.ts';
import { dashboardExamples } from './dashboard-examples.ts';
import { fileExamples } from './file-examples.ts';
import { inventoryExamples } from './inventory-examples.ts';
import { jobExamples } from './job-examples.ts';
import { libraryExamples } from './library-examples.ts';
import { nodeExamples } from './node-examples.ts';
import { notificationExamples } from './notification-examples.ts';
import { peopleExamples } from './people-examples.ts';
import { pipelineExamples } from './pipeline-examples.ts';
import { runExamples } from './run-examples.ts';
import { tokenExamples } from './token-examples.ts';

/** Method and path -> example. */
const examplesByOperation: Readonly<Record<string, Example>> = {
  ...jobExamples,
  ...runExamples,
  ...tokenExamples,
  ...peopleExamples,
  ...fileExamples,
  ...nodeExamples,
  ...libraryExamples,
  ...notificationExamples,
  ...dashboardExamples,
  ...pipelineExamples,
  ...clusterExamples,
  ...clusterAccessExamples,
  ...inventoryExamples,
};

/** Returns the example of an operation, also for a deprecated alias of its path. */
export function exampleOf({ method, path }: Pick<Operation, 'method' | 'path'>): Example | undefined {
  return examplesByOperation[`${method} ${canonicalPath(path)}`];
}
