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
    nextStep: `Runyard did not send the signal; a user or another program on node ${context.host} did. Find out what ends processes there, then ${rerunText(context)}.`,
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
  // The process of an update belongs to Runyard.
  if (context.taskKind === 'pipeline_task')
    return { code: 'INTERNAL', evidence, nextStep: `Read the log of the task, then ${rerunText(context)}.` };
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

/** Explains SIGKILL, which Runyard has not sent. */
function explainKill({ oomKill }: ExitFailure, context: FailureContext): Cause {
  const limit = memoryLimitText(context);
  const limits: Evidence = limit === '' ? {} : { limits: [limit] };
  const { host } = context;
  switch (oomKill?.kind) {
    case 'certain':
      return {
        code: 'RESOURCE_LIMIT',
        evidence: { ...limits, details: [`Log of the kernel on node ${host}: ${oomKill.record}`] },
        nextStep: `Runyard did not send the signal; the kernel's out-of-memory killer did, because ${reasonOf(oomKill.record)}. ${moreMemoryText(context)}`,
      };
    case 'likely':
      return {
        code: 'RESOURCE_LIMIT',
        evidence: {
          ...limits,
          details: [
            `The kernel ended ${oomKill.kills} ${oomKill.kills === 1 ? 'process' : 'processes'} of node ${host} for lack of memory while the task ran.`,
          ],
        },
        nextStep: `Runyard did not send the signal; probably the kernel's out-of-memory killer did: check dmesg on node ${host}. ${moreMemoryText(context)}`,
      };
    case 'none':
      return {
        code: 'CLUSTER',
        evidence: {
          ...limits,
          details: [`The log of the kernel on node ${host} has no out-of-memory kill of it.`],
        },
        nextStep: `Runyard did not send the signal, and the kernel's out-of-memory killer did not either: a user or another program on node ${host} did. Find out what ends processes there, then ${rerunText(context)}.`,
      };
    case undefined:
      return {
        code: 'CLUSTER',
        evidence: limits,
        nextStep: `Runyard did not send the signal. Often the kernel's out-of-memory killer does: check dmesg on node ${host}. ${moreMemoryText(context)}`,
      };
    default:
      return oomKill satisfies never;
  }
}

/** Returns why the kernel ended a process, from its record. */
function reasonOf(record: string): string {
  return record.startsWith('Memory cgroup')
    ? 'the memory limit of its control group was reached'
    : 'the machine had no memory left';
}
