/** Change of job settings, shared by jobs/reset and jobs/update. */
import { checkRunJobCycle } from '../../engine/job/check-run-job-cycle.ts';
import { findMisspelledFields } from '../../engine/job/misspelled-fields.ts';
import type { JobSettings } from '../../engine/job/settings.ts';
import type { Job } from '../../engine/ports/jobs.ts';
import type { RequestContext } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import { jobNotFound } from '../../engine/errors.ts';
import type { ReferencePorts } from './check-references.ts';
import type { RunAsPorts } from './check-run-as.ts';

export type ChangeJobPorts = ReferencePorts &
  RunAsPorts &
  Pick<OperationPorts, 'jobs' | 'onJobChanged' | 'clock' | 'limits' | 'kinds'>;

/**
 * Replaces the settings of a job by the result of `settingsOf`, records the change for the audit log, and
 * updates the timeouts of active runs (spec 4.1 rules 2 and 3).
 * @throws ServiceError for an unknown job, for a cycle of run_job_tasks, and for errors of `settingsOf`
 */
export async function changeJobSettings(
  { jobs, onJobChanged, clock }: Pick<ChangeJobPorts, 'jobs' | 'onJobChanged' | 'clock'>,
  jobId: number,
  settingsOf: (job: Job) => JobSettings,
  { recordChange, warn }: Pick<RequestContext, 'recordChange' | 'warn'>,
): Promise<void> {
  const job = await jobs.find(jobId);
  if (job !== undefined)
    await checkRunJobCycle(jobId, settingsOf(job), async (id) => (await jobs.find(id))?.settings);
  if (job !== undefined) findMisspelledFields(settingsOf(job)).forEach(warn);
  const timeoutUpdates = await jobs.update(
    jobId,
    (before) => {
      const after = settingsOf(before);
      recordChange(before.settings, after);
      return after;
    },
    clock.now(),
  );
  if (timeoutUpdates === undefined) throw jobNotFound(jobId);
  onJobChanged(timeoutUpdates);
}
