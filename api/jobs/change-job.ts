/** What reset and update share: the job's settings change, and its active runs hear of their timeouts. */
import { jobNotFound } from '../../engine/errors.ts';
import { checkRunJobCycle } from '../../engine/job/check-run-job-cycle.ts';
import type { JobSettings } from '../../engine/job/settings.ts';
import type { Job } from '../../engine/ports/jobs.ts';
import type { Call } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';

/**
 * Replaces the settings of a job by what `settingsOf` makes of it (spec 4.1 rules 2 and 3).
 * @throws ServiceError for an unknown job, and what `settingsOf` throws
 */
export async function changeJobSettings(
  { jobs, onJobChanged, clock }: Pick<OperationPorts, 'jobs' | 'onJobChanged' | 'clock'>,
  jobId: number,
  settingsOf: (job: Job) => JobSettings,
  { recordChange }: Pick<Call, 'recordChange'>,
): Promise<void> {
  const job = await jobs.find(jobId);
  if (job !== undefined)
    await checkRunJobCycle(jobId, settingsOf(job), async (id) => (await jobs.find(id))?.settings);
  const retimed = await jobs.update(
    jobId,
    (before) => {
      const after = settingsOf(before);
      recordChange(before.settings, after);
      return after;
    },
    clock.now(),
  );
  if (retimed === undefined) throw jobNotFound(jobId);
  onJobChanged(retimed);
}
