/** Check of `run_as`, which cannot make a job run as another user. */
import { invalid, jobNotFound } from '../../engine/errors.ts';
import type { RunAs } from '../../engine/job/settings.ts';
import { findOwner, type Grant } from '../../engine/job/permissions.ts';
import { checkExactlyOne, isNonEmpty, quote } from '../../engine/validation/messages.ts';
import type { OperationPorts } from '../http/ports.ts';

export type RunAsPorts = Pick<OperationPorts, 'people' | 'owners'>;

const names = ['user_name', 'service_principal_name'] as const;

/**
 * Refuses a run_as that names another user than the one as whom a new job or a submission runs: its creator,
 * or its owner with job access control (spec 2.1).
 * @throws ServiceError INVALID_PARAMETER_VALUE that names the user and says whether there is such a user
 */
export async function checkNewRunAs(
  ports: RunAsPorts,
  runAs: RunAs | undefined,
  creator: string,
  grants: readonly Grant[],
): Promise<void> {
  const owner = ports.owners === undefined ? undefined : findOwner(grants)?.grantee.name;
  await checkRunAs(ports, runAs, async () => owner ?? creator);
}

/**
 * The same for new settings of a stored job.
 * @throws ServiceError for an unknown job, too
 */
export async function checkChangedRunAs(
  ports: RunAsPorts & Pick<OperationPorts, 'jobs'>,
  runAs: RunAs | undefined,
  jobId: number,
): Promise<void> {
  await checkRunAs(ports, runAs, async () => {
    const job = await ports.jobs.find(jobId);
    if (job === undefined) throw jobNotFound(jobId);
    return ports.owners === undefined ? job.creatorUserName : (await ports.owners([jobId])).get(jobId);
  });
}

async function checkRunAs(
  { people, owners }: RunAsPorts,
  runAs: RunAs | undefined,
  findUser: () => Promise<string | undefined>,
): Promise<void> {
  if (runAs === undefined || !isNonEmpty(runAs)) return;
  const given = names.filter((name) => isNonEmpty(runAs[name]));
  checkExactlyOne('run_as', given, names);
  const [field = 'user_name'] = given;
  const user = await findUser();
  if (user !== undefined && runAs[field] === user) return;
  const at = `run_as.${field} is ${quote(runAs[field])}`;
  if ((await people.named(runAs[field] ?? '')) === undefined) throw invalid(`${at}; there is no such user.`);
  const rule =
    owners === undefined
      ? `a job runs as its creator, ${user ?? 'who was deleted'}`
      : `a job runs as its owner, ${user ?? 'who was deleted'}; change the owner with PUT or PATCH permissions/jobs/<job_id>`;
  throw invalid(`${at}; ${rule}.`);
}
