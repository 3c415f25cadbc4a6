/** Client of the engine in a runner thread, over the port of one attempt. */
import type { MessagePort } from 'node:worker_threads';
import { LocateError, type ChildRunResult, type ChildRunRequest, type LocateTarget } from '../contract.ts';
import type { EngineMessage, RunnerMessage } from './thread-messages.ts';

export interface EngineClient {
  /** @throws LocateError */
  locate(uri: string, what: LocateTarget): Promise<string>;
  launchChildRun(request: ChildRunRequest, key: string, stop: AbortSignal): Promise<ChildRunResult>;
}

type EngineReply = Exclude<EngineMessage, { type: 'stop' | 'ping' }>;

/** @param onStop called when the engine stops the attempt */
export function createEngineClient(port: MessagePort, onStop: () => void): EngineClient {
  const send = (message: RunnerMessage): void => port.postMessage(message);
  const waiting = new Map<number, (answer: EngineReply) => void>();
  port.on('message', (message: EngineMessage) => {
    if (message.type === 'stop') return onStop();
    if (message.type === 'ping') return send({ type: 'pong' });
    waiting.get(message.id)?.(message);
    waiting.delete(message.id);
  });
  let last = 0;
  const request = (createMessage: (id: number) => RunnerMessage): Promise<EngineReply> =>
    new Promise((resolve) => {
      last += 1;
      waiting.set(last, resolve);
      send(createMessage(last));
    });
  return {
    async locate(uri, what) {
      const answer = await request((id) => ({ type: 'locate', id, uri, what }));
      if (answer.type === 'located') return answer.path;
      throw new LocateError(
        answer.type === 'not-located' ? answer.message : `The engine did not locate ${uri}.`,
      );
    },
    async launchChildRun(childRun, key, stop) {
      let cancel = (): void => undefined;
      const answered = request((id) => {
        cancel = () => send({ type: 'stop-launch', id });
        return { type: 'launch', id, key, request: childRun, stopped: stop.aborted };
      });
      stop.addEventListener('abort', cancel);
      try {
        const answer = await answered;
        if (answer.type !== 'launched') throw new Error(`The engine answered a launch with ${answer.type}.`);
        return answer.end;
      } finally {
        stop.removeEventListener('abort', cancel);
      }
    },
  };
}
