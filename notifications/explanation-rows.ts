/** Rows of a message that explain a failure: cause, place, next step. No sentence appears twice. */
import type { RunStateSnapshot } from '../engine/run/notification.ts';

type Row = readonly [label: string, value: string];

/** Returns the rows of an explanation; the message of a state without one. */
export function explanationRowsOf(state: RunStateSnapshot | undefined, taskKey: string | undefined): Row[] {
  if (state === undefined) return [];
  const { explanation, message } = state;
  if (explanation === undefined) return message === '' ? [] : [['Message', message]];
  const { cause, place, next_step: nextStep, others, retries, evidence } = explanation;
  const rows: (readonly [string, string | undefined])[] = [
    ['Failed task', place.task_key === taskKey ? undefined : place.task_key],
    ['Cause', cause],
    ['Place', place.text === `task ${place.task_key}` ? undefined : place.text],
    ['Frames', evidence?.frames?.join('\n')],
    ['Attempts', retries],
    ['Other tasks', others],
    ['Next step', nextStep],
  ];
  return rows.flatMap(([label, value]): Row[] =>
    value === undefined || value === '' ? [] : [[label, value]],
  );
}
