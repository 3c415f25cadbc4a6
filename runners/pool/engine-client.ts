/** What a runner's thread asks of the engine, over the port of one attempt. */
import type { MessagePort } from 'node:worker_threads';
import { LocateError, type ChildRunResult, type ChildRunRequest, type Sought } from '../contract.ts';
import type { FromEngine, FromRunner } from './messages.ts';

export interface Questions {
  /** @throws LocateError */
  locate(uri: string, what: Sought): Promise<string>;
  launch(request: ChildRunRequest, key: string, stop: AbortSignal): Promise<ChildRunResult>;
}

type Answer = Exclude<FromEngine, { type: 'stop' | 'ping' }>;

/** @param onStop called when the engine says that the attempt is to stop */
export function askEngine(port: MessagePort, onStop: () => void): Questions {
  const say = (message: FromRunner): void => port.postMessage(message);
  const waiting = new Map<number, (answer: Answer) => void>();
  port.on('message', (message: FromEngine) => {
    if (message.type === 'stop') return onStop();
    if (message.type === 'ping') return say({ type: 'pong' });
    waiting.get(message.id)?.(message);
    waiting.delete(message.id);
  });
  let last = 0;
  const ask = (question: (id: number) => FromRunner): Promise<Answer> =>
    new Promise((resolve) => {
      last += 1;
      waiting.set(last, resolve);
      say(question(last));
    });
  return {
    async locate(uri, what) {
      const answer = await ask((id) => ({ type: 'locate', id, uri, what }));
      if (answer.type === 'located') return answer.path;
      throw new LocateError(
        answer.type === 'not-located' ? answer.message : `The engine did not say where ${uri} is.`,
      );
    },
    async launch(request, key, stop) {
      let cancel = (): void => undefined;
      const answered = ask((id) => {
        cancel = () => say({ type: 'stop-launch', id });
        return { type: 'launch', id, key, request, stopped: stop.aborted };
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
