/** Explains the end of a process without an error in its output: exit codes and signals. */
import { moreMemoryText, memoryLimitText, rerunText, type Cause } from './explain-error.ts';
import type { Evidence } from './explanation.ts';
import type { Failure, FailureContext } from './failure.ts';

type ExitFailure = Extract<Failure, { kind: 'exit' }>;

/** Shells encode the number of a signal above 128. */
const signalOf = (code: number): number => code - 128;

const signals: Readonly<Record<number, (failure: ExitFailure, context: FailureContext) => Cause>> = {
  // SIGKILL
  9: explainKill,
  // SIGABRT
  6: (_failure, context) => ({
    code: 'USER_CODE',
    nextStep: `A program or one of its native libraries ended itself; read the last lines of its log, then ${rerunText(context)}.`,
  }),
  // SIGSEGV
  11: (_failure, context) => ({
    code: 'DEPENDENCY',
    nextStep: `A native library read memory that it does not own. Update the libraries of the task, then ${rerunText(context)}.`,
  }),
  // SIGTERM
  15: (_failure, context) => ({
    code: 'CLUSTER',
    nextStep: `Runyard did not send the signal; something on this machine did. Find out what ends processes there, then ${rerunText(context)}.`,
  }),
  // SIGXCPU
  24: (_failure, context) => ({
    code: 'RESOURCE_LIMIT',
    nextStep: `The task used more processor time than RUNYARD_TASK_LIMITS allows. Raise the limit, or make the task smaller, then ${rerunText(context)}.`,
  }),
};

/** Exit codes of shells. */
const shellCodes: Readonly<Record<number, string>> = {
  126: 'A program that the task started is not executable.',
  127: 'A program that the task started was not found.',
};

/** Explains the exit of a process. */
export function explainExit(failure: ExitFailure, context: FailureContext): Cause {
  const { code, lastLines } = failure;
  const evidence: Evidence = {
    exit_status: String(code),
    ...(lastLines.length > 0 && { last_lines: [...lastLines] }),
  };
  const signal = signals[signalOf(code)];
  if (signal !== undefined) {
    const cause = signal(failure, context);
    return { ...cause, evidence: { ...evidence, ...cause.evidence } };
  }
  const shell = shellCodes[code];
  if (shell !== undefined)
    return { code: 'DEPENDENCY', evidence, nextStep: `${shell} Install it, then ${rerunText(context)}.` };
  return {
    code: 'USER_CODE',
    evidence,
    nextStep: `${chosenCodeText(failure)} Correct the program, then ${rerunText(context)}.`,
  };
}

/** Says that the program chose its exit code, with the last line that it wrote. */
function chosenCodeText({ lastLines }: ExitFailure): string {
  const last = lastLines.at(-1);
  return last === undefined
    ? 'The program chose this code itself and wrote nothing.'
    : `The program chose this code itself; its last output: "${last}".`;
}

function explainKill({ kernelKills }: ExitFailure, context: FailureContext): Cause {
  const limit = memoryLimitText(context);
  const evidence: Evidence = limit === '' ? {} : { limits: [limit] };
  if (kernelKills !== undefined && kernelKills > 0)
    return {
      code: 'RESOURCE_LIMIT',
      evidence: {
        ...evidence,
        details: [
          `The kernel ended ${kernelKills} ${kernelKills === 1 ? 'process' : 'processes'} of this machine for lack of memory while the task ran.`,
        ],
      },
      nextStep: `Runyard did not send the signal; the kernel's out-of-memory killer did. ${moreMemoryText(context)}`,
    };
  return {
    code: 'CLUSTER',
    evidence,
    nextStep: `Runyard did not send the signal. Often the kernel's out-of-memory killer does: check dmesg on ${context.host}. ${moreMemoryText(context)}`,
  };
}
