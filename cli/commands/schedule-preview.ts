/** `runyard schedule preview`: prints the fire times of a Quartz expression. */
import { systemClock } from '../../engine/clock.ts';
import { ServiceError } from '../../engine/errors.ts';
import { previewSchedule, type Preview } from '../../engine/schedule/preview.ts';
import { printLine } from './print-line.ts';
import { CommandError } from '../start-error.ts';

export interface PreviewOptions {
  readonly zone: string;
  /** Epoch ms; default: now. */
  readonly after?: number;
  readonly count: number;
  readonly json?: true;
}

/** Prints the preview. Resolves with the exit code. @throws CommandError when the schedule is invalid */
export async function printSchedulePreview(
  expression: string,
  { zone, after = systemClock.now(), count, json }: PreviewOptions,
): Promise<number> {
  const preview = createPreview(expression, zone, after, count);
  if (json === true) {
    printLine(JSON.stringify(preview, undefined, 2));
    return 0;
  }
  printLine(`${expression} (${zone}): ${preview.description}`);
  for (const { local, note } of preview.fire_times)
    printLine(note === undefined ? local : `${local}  ${note}`);
  return 0;
}

function createPreview(expression: string, zone: string, after: number, count: number): Preview {
  try {
    return previewSchedule(expression, zone, after, count);
  } catch (error) {
    throw error instanceof ServiceError ? new CommandError(error.message) : error;
  }
}
