/** All operations of the API, in the order of the documentation. */
import { createJobOperation } from './jobs/create.ts';
import { deleteJobOperation } from './jobs/delete.ts';
import { getJobOperation } from './jobs/get.ts';
import { listJobsOperation } from './jobs/list.ts';
import type { Operation } from './operation.ts';
import type { OperationPorts } from './ports.ts';
import { cancelRunOperation } from './runs/cancel.ts';
import { getOutputOperation } from './runs/get-output.ts';
import { getRunOperation } from './runs/get.ts';
import { listRunsOperation } from './runs/list.ts';
import { runNowOperation } from './runs/run-now.ts';
import { submitOperation } from './runs/submit.ts';

const makers: readonly ((ports: OperationPorts) => Operation)[] = [
  createJobOperation,
  getJobOperation,
  listJobsOperation,
  deleteJobOperation,
  runNowOperation,
  submitOperation,
  listRunsOperation,
  getRunOperation,
  getOutputOperation,
  cancelRunOperation,
];

/** Every operation, made from what it needs of the world. */
export function operationsOf(ports: OperationPorts): Operation[] {
  return makers.map((make) => make(ports));
}
