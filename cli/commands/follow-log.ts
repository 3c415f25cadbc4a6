/** Follows a log over HTTP; reconnects after broken connections and restarts of the service. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Type, type Static, type TSchema } from 'typebox';
import { Parse } from 'typebox/value';
import { openServiceStream, ServiceUnreachable } from './service-client.ts';

const LogEvent = Type.Object({ offset: Type.Integer(), content: Type.String() });

/** Delays between two connection attempts, ms. */
const [initialDelayMs, maximumDelayMs] = [500, 5_000];

export interface FollowOptions {
  readonly runId: number;
  readonly stream: string;
  readonly offset: number;
  /** Called once per interruption. */
  readonly onInterruption: () => void;
  readonly signal: AbortSignal;
}

/** Yields the text of a log from an offset until its task run ends. @throws CommandError for other errors */
export async function* followLog({
  runId,
  stream,
  offset,
  onInterruption,
  signal,
}: FollowOptions): AsyncGenerator<string> {
  let next = offset;
  let delayMs = initialDelayMs;
  while (!signal.aborted) {
    try {
      for await (const { id, name, data } of readEvents(
        `/jobs/runs/logs/stream?run_id=${runId}&stream=${stream}&offset=${next}`,
        signal,
      )) {
        if (name === 'end') return;
        if (name === 'log') yield parseJson(LogEvent, data).content;
        next = id ?? next;
        delayMs = initialDelayMs;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof ServiceUnreachable)) throw error;
      if (delayMs === initialDelayMs) onInterruption();
    }
    await sleep(delayMs, undefined, { signal }).catch(() => undefined);
    delayMs = Math.min(maximumDelayMs, delayMs * 2);
  }
}

interface ServerEvent {
  readonly id: number | undefined;
  readonly name: string;
  readonly data: string;
}

/** Yields the events of one connection. */
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
