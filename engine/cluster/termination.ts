/** Why clusters end, in the codes that clients know. */

/** Code -> its kind. */
const terminationTypeOfCode = {
  JOB_FINISHED: 'SUCCESS',
  USER_REQUEST: 'SUCCESS',
  INACTIVITY: 'SUCCESS',
  INIT_SCRIPT_FAILURE: 'CLIENT_ERROR',
  INVALID_ARGUMENT: 'CLIENT_ERROR',
  INSTANCE_POOL_CLUSTER_FAILURE: 'CLIENT_ERROR',
  CLOUD_PROVIDER_LAUNCH_FAILURE: 'CLOUD_FAILURE',
  CLOUD_PROVIDER_SHUTDOWN: 'CLOUD_FAILURE',
} as const satisfies Record<string, string>;

export type TerminationCode = keyof typeof terminationTypeOfCode;

/** Why a cluster ended; `parameters` say what happened, for people. */
export interface Termination {
  readonly code: TerminationCode;
  readonly parameters?: Readonly<Record<string, string>>;
}

/** As clients read it. */
export function toTerminationReason({ code, parameters = {} }: Termination) {
  return { code, type: terminationTypeOfCode[code], parameters };
}

/** What a task is told whose cluster was ended under it, or could not start. */
export function terminationMessage(clusterId: string, { code, parameters = {} }: Termination): string {
  const why = parameters['message'];
  return `Cluster ${clusterId} was terminated (${code})${why === undefined ? '' : `: ${why}`}`;
}

/**
 * Whether the fault lies with what the user asked for: the task is FAILED then, else the service failed it.
 */
export function isUserError({ code }: Termination): boolean {
  return code === 'INIT_SCRIPT_FAILURE';
}
