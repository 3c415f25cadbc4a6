/** Termination reasons of clusters, in the codes of the interface. */

/** Code -> type. */
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

/** Reason of a termination, with details in `parameters`. */
export interface Termination {
  readonly code: TerminationCode;
  readonly parameters?: Readonly<Record<string, string>>;
}

/** Renders a termination for clients. */
export function toTerminationReason({ code, parameters = {} }: Termination) {
  return { code, type: terminationTypeOfCode[code], parameters };
}

/** Returns the message of a task whose cluster was terminated or could not start. */
export function terminationMessage(clusterId: string, { code, parameters = {} }: Termination): string {
  const reason = parameters['message'];
  return `Cluster ${clusterId} was terminated (${code})${reason === undefined ? '' : `: ${reason}`}`;
}

/** Tells whether the user caused the termination: the task is FAILED; otherwise it has an internal error. */
export function isUserError({ code }: Termination): boolean {
  return code === 'INIT_SCRIPT_FAILURE';
}
