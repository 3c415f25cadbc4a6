/** Operations on runs, their logs and their output, in the order of the documentation. */
import type { Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import { cancelAllRunsOperation } from './cancel-all.ts';
import { cancelRunOperation } from './cancel.ts';
import { deleteRunOperation } from './delete.ts';
import { exportRunOperation } from './export.ts';
import { getBundleOperation } from './get-bundle.ts';
import { getLogsOperation } from './get-logs.ts';
import { getRunOutputOperation } from './get-output.ts';
import { getRunOperation } from './get.ts';
import { listRunsOperation } from './list.ts';
import { repairRunOperation } from './repair.ts';
import { runNowBatchOperation } from './run-now-batch.ts';
import { runNowOperation } from './run-now.ts';
import { streamLogsOperation } from './stream-logs.ts';
import { submitRunOperation } from './submit.ts';

/** Creates the operations on runs. */
export function createRunOperations(ports: OperationPorts): Operation[] {
  return [
    runNowOperation,
    runNowBatchOperation,
    submitRunOperation,
    listRunsOperation,
    getRunOperation,
    getRunOutputOperation,
    exportRunOperation,
    getLogsOperation,
    streamLogsOperation,
    getBundleOperation,
    cancelRunOperation,
    cancelAllRunsOperation,
    repairRunOperation,
    deleteRunOperation,
  ].map((create) => create(ports));
}
