/** Event log of an update: one line of JSON per event, in a file in the storage of the pipeline. */
import { closeSync, mkdirSync, openSync, readdirSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../engine/clock.ts';
import { createPipelineEvent, type EventDraft, type EventOrigin } from '../../engine/pipeline/events.ts';

export interface EventLog {
  write(event: EventDraft): void;
  close(): void;
}

/** Maximum number of logs of earlier updates. */
const logsKeptMax = 200;

/** @param writeLine also receives the message of each event, for the log of the task */
export function openEventLog(
  storage: string,
  origin: EventOrigin,
  clock: Pick<Clock, 'now'>,
  writeLine: (line: string) => void,
): EventLog {
  const directory = join(storage, 'events');
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  removeOldestLogs(directory);
  const file = openSync(join(directory, `${origin.update_id}.jsonl`), 'w', 0o600);
  // Event 0 is the request.
  let number = 1;
  return {
    write(draft) {
      const event = createPipelineEvent(origin, draft, number, clock.now());
      number += 1;
      writeSync(file, `${JSON.stringify(event)}\n`);
      writeLine(`${event.timestamp} ${event.level} ${event.message}`);
    },
    close: () => closeSync(file),
  };
}

function removeOldestLogs(directory: string): void {
  const logs = readdirSync(directory)
    .map((name) => ({ name, time: statSync(join(directory, name)).mtimeMs }))
    .sort((a, b) => b.time - a.time);
  for (const { name } of logs.slice(logsKeptMax)) rmSync(join(directory, name), { force: true });
}
