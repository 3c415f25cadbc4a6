/** Explains the failure of an attempt: the one place where facts become cause, place and next step. */
import { causeOfFailure, prefixOf } from './causes.ts';
import { renderMessage, type Explained, type Explanation, type Place } from './explanation.ts';
import type { CodePlace, Failure, FailureContext } from './failure.ts';

/** Longer causes are cut: they become state messages. */
const causeCharactersMax = 1_000;

/** Explains the failure of an attempt and renders its state_message. */
export function explainFailure(failure: Failure, context: FailureContext): Explained {
  const { code, cause = textOf(failure), nextStep, evidence } = causeOfFailure(failure, context);
  const isStorage = context.fullDisk !== undefined && isDiskVictim(failure);
  const explanation: Explanation = {
    cause_code: isStorage ? 'STORAGE' : code,
    cause: isStorage ? `The disk of ${context.fullDisk} is full` : cut(withoutCell(cause, failure)),
    place: placeOf(failure, context),
    next_step: isStorage ? 'Free space, then repair the run.' : nextStep,
    ...(evidence !== undefined && Object.keys(evidence).length > 0 && { evidence }),
  };
  return { explanation, message: renderMessage(isStorage ? '' : prefixOf(failure), explanation) };
}

/** On a full disk every failure but a request of a user comes from the disk. */
function isDiskVictim(failure: Failure): boolean {
  return failure.kind !== 'stop' || failure.stop.reason === 'timeout';
}

/** Returns a cause without the cell at its end, which the place names. */
function withoutCell(cause: string, failure: Failure): string {
  const cell = failure.kind === 'error' ? failure.at?.cell : undefined;
  return cell === undefined ? cause : cause.replace(/ \(cell \d+(?:, line \d+)?\)$/, '');
}

function cut(text: string): string {
  return text.length <= causeCharactersMax ? text : `${text.slice(0, causeCharactersMax).toWellFormed()}...`;
}

/** Returns the cause as the failure tells it. */
function textOf(failure: Failure): string {
  switch (failure.kind) {
    case 'error':
    case 'exit':
      return failure.error;
    case 'message':
    case 'library':
    case 'cluster':
    case 'child':
      return failure.message;
    case 'stop':
      return '';
    default:
      return failure satisfies never;
  }
}

function placeOf(failure: Failure, context: FailureContext): Place {
  const at = 'at' in failure ? failure.at : undefined;
  const file = at?.file ?? (failure.kind === 'error' || failure.kind === 'exit' ? context.file : undefined);
  const clusterId = failure.kind === 'cluster' ? failure.clusterId : context.clusterId;
  return {
    text: placeText({ ...at, file }) || `task ${context.taskKey}`,
    task_key: context.taskKey,
    run_id: context.runId,
    attempt: context.attempt,
    ...(file !== undefined && { file }),
    ...(at?.cell !== undefined && { cell: at.cell }),
    ...(at?.line !== undefined && { line: at.line }),
    ...(clusterId !== undefined && { cluster_id: clusterId }),
    node: context.host,
  };
}

function placeText({ file, cell, line }: CodePlace): string {
  return [file, cell !== undefined && `cell ${cell}`, line !== undefined && `line ${line}`]
    .filter((part) => typeof part === 'string')
    .join(', ');
}
