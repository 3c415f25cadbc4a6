/** Operations on jobs, in the order of the documentation. */
import type { Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import { createJobOperation } from './create.ts';
import { deleteJobOperation } from './delete.ts';
import { getJobOperation } from './get.ts';
import { listJobsOperation } from './list.ts';
import { previewScheduleOperation } from './preview-schedule.ts';
import { resetJobOperation } from './reset.ts';
import { updateJobOperation } from './update.ts';

/** Creates the operations on jobs and schedules. */
export function createJobOperations(ports: OperationPorts): Operation[] {
  return [
    createJobOperation,
    getJobOperation,
    listJobsOperation,
    resetJobOperation,
    updateJobOperation,
    deleteJobOperation,
    previewScheduleOperation,
  ].map((create) => create(ports));
}
