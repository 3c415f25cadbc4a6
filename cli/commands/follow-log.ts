/**
 * Following a log over HTTP as long as it takes: broken connections and restarts of the service are outlived.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Type, type Static, type TSchema } from 'typebox';
import { Parse } from 'typebox/value';
import { openServiceStream, ServiceUnreachable } from './service-client.ts';

const LogEvent = Type.Object({ offset: Type.Integer(), content: Type.String() });

/** Waits between two tries, ms. */
const [firstWait, longestWait] = [500, 5_000];

export interface FollowOptions {
  readonly runId: number;
  readonly stream: string;
  readonly offset: number;
  /** Told once of each interruption. */
  readonly onInterruption: () => void;
  readonly signal: AbortSignal;
}

/**
 * The text of a log from an offset on, as it comes, until its task run is over. @throws CommandError when the
 * service refuses
 */
export async function* followLog({
  runId,
  stream,
  offset,
  onInterruption,
  signal,
}: FollowOptions): AsyncGenerator<string> {
  let next = offset;
  let wait = firstWait;
  while (!signal.aborted) {
    try {
      for await (const { id, name, data } of readEvents(
        `/jobs/runs/logs/stream?run_id=${runId}&stream=${stream}&offset=${next}`,
        signal,
      )) {
        if (name === 'end') return;
        if (name === 'log') yield parseJson(LogEvent, data).content;
        next = id ?? next;
        wait = firstWait;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof ServiceUnreachable)) throw error;
      if (wait === firstWait) onInterruption();
    }
    await sleep(wait, undefined, { signal }).catch(() => undefined);
    wait = Math.min(longestWait, wait * 2);
  }
}

interface ServerEvent {
  readonly id: number | undefined;
  readonly name: string;
  readonly data: string;
}

/** The events of one connection. */
async function* readEvents(path: string, signal: AbortSignal): AsyncGenerator<ServerEvent> {
  const { body } = await openServiceStream(path, signal);
  if (body === null) return;
  let text = '';
  const chunks = body.pipeThrough(new TextDecoderStream());
  try {
    for await (const chunk of chunks) {
      const blocks = (text + chunk).split('\n\n');
      text = blocks.pop() ?? '';
      yield* blocks.map(parseEvent);
    }
  } catch {
    throw new ServiceUnreachable('The connection broke.');
  }
}

function parseEvent(block: string): ServerEvent {
  const fields = new Map(
    block
      .split('\n')
      .map((line): [string, string] => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  );
  const id = fields.get('id');
  return {
    id: id === undefined ? undefined : Number(id),
    name: fields.get('event') ?? '',
    data: fields.get('data') ?? '',
  };
}

function parseJson<Shape extends TSchema>(shape: Shape, text: string): Static<Shape> {
  return Parse(shape, JSON.parse(text));
}
