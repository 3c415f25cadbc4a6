/** Cause, code and next step of every kind of failure. */
import { workloadFailedMessage } from '../attempt-end.ts';
import { explainError, rerunText, type Cause } from './explain-error.ts';
import { explainExit } from './explain-exit.ts';
import { explainMessage } from './explain-message.ts';
import { explainStop } from './explain-stop.ts';
import type { Evidence } from './explanation.ts';
import type { Failure, FailureContext } from './failure.ts';

/** Phrase that clients know before the cause; '' where the cause begins with its own. */
export function prefixOf({ kind }: Failure): string {
  return kind === 'error' || kind === 'exit' ? workloadFailedMessage : '';
}

/** Returns the cause of a failure. */
export function causeOfFailure(failure: Failure, context: FailureContext): Cause {
  switch (failure.kind) {
    case 'error': {
      const cause = explainError(failure, context);
      const frames = framesEvidence(failure);
      return { ...cause, evidence: { ...frames, ...cause.evidence } };
    }
    case 'exit':
      return explainExit(failure, context);
    case 'message':
      return explainMessage(failure, context);
    case 'library':
      return explainLibrary(failure, context);
    case 'cluster':
      return explainCluster(failure, context);
    case 'child':
      return explainChild(failure, context);
    case 'stop':
      return explainStop(failure.stop, failure.phase, context);
    default:
      return failure satisfies never;
  }
}

function framesEvidence({ frames = [], foldedFrames = 0 }: Extract<Failure, { kind: 'error' }>): Evidence {
  return {
    ...(frames.length > 0 && { frames: [...frames] }),
    ...(foldedFrames > 0 && { folded_frames: foldedFrames }),
  };
}

function explainLibrary(
  { libraries, message }: Extract<Failure, { kind: 'library' }>,
  context: FailureContext,
): Cause {
  const indexes = [...new Set(libraries.flatMap(({ index }) => index ?? []))];
  const reach =
    indexes.length === 0
      ? ''
      : ` If the name is right, check that the service can reach ${indexes.join(' and ')}.`;
  const field = context.isMultiTask ? `tasks[${context.taskKey}].libraries` : 'the libraries of the task';
  const check =
    indexes.length > 0
      ? `Check name and version in ${field}`
      : /was not found/.test(message)
        ? `Upload the file, or correct its path in ${field}`
        : `Correct the file or its path in ${field}`;
  return {
    code: 'DEPENDENCY',
    cause: withoutRemedy(message),
    nextStep: `${check}, then ${rerunText(context)}.${reach}`,
    evidence: {
      details: libraries.map(({ name, index }) => (index === undefined ? name : `${name} from ${index}`)),
    },
  };
}

/** Returns a sentence without its remedies, which the next step has. */
function withoutRemedy(message: string): string {
  return message
    .replace(/ and start the run again\.?$/, '')
    .replace(/\. Put it there with POST \S+?\.?$/, '')
    .replace(/\.$/, '');
}

/** Termination code of a cluster -> next step. */
const clusterNextSteps: Readonly<Record<string, string>> = {
  INIT_SCRIPT_FAILURE: 'Correct the init script',
  INSTANCE_POOL_CLUSTER_FAILURE: '',
  CLOUD_PROVIDER_LAUNCH_FAILURE: 'Check the log of the service for the nodes of the cluster',
  CLOUD_PROVIDER_SHUTDOWN: 'Check the log of the service for the nodes of the cluster',
  USER_REQUEST: 'Leave the cluster alone while tasks run on it, or use new_cluster',
  INACTIVITY: 'Raise autotermination_minutes, or use new_cluster',
};

function explainCluster(
  { code, message }: Extract<Failure, { kind: 'cluster' }>,
  context: FailureContext,
): Cause {
  // A pool that is too small says itself what would fit.
  if (code === 'INSTANCE_POOL_CLUSTER_FAILURE') {
    const [cause = message, ...steps] = message.split(/(?<=\.) (?=Set |Raise )/);
    return {
      code: 'CLUSTER',
      cause: cause.replace(/\.$/, ''),
      nextStep: steps.length === 0 ? 'Raise the capacity of the pool in RUNYARD_CLUSTERS.' : steps.join(' '),
    };
  }
  return {
    code: 'CLUSTER',
    cause: withoutRemedy(message),
    nextStep: `${clusterNextSteps[code] ?? 'Check the events of the cluster'}, then ${rerunText(context)}.`,
  };
}

const childEndVerbs: Readonly<Record<string, string>> = {
  CANCELED: 'was cancelled',
  TIMEDOUT: 'timed out',
  SKIPPED: 'was skipped',
  INTERNAL_ERROR: 'ended with an internal error',
};

function explainChild(
  { runId, cause, message, end, jobName, url }: Extract<Failure, { kind: 'child' }>,
  context: FailureContext,
): Cause {
  const why = cause ?? message;
  return {
    code: end === 'CANCELED' ? 'CANCELLED' : end === 'TIMEDOUT' ? 'TIMEOUT' : 'CHILD_RUN',
    cause: `Run ${runId} of job ${JSON.stringify(jobName)} ${childEndVerbs[end] ?? 'failed'}${why === '' ? '' : `: ${why}`}`,
    nextStep: `Open run ${runId} (${url}), correct what failed there, and ${rerunText(context)}.`,
    evidence: { child_run_id: runId },
  };
}
