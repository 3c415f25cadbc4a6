/** Reader of server-sent events; the EventSource of browsers cannot send a token. */

export interface ServerEvent {
  /** Offset of the next event. */
  readonly id: number;
  readonly name: string;
  readonly data: unknown;
}

/** Yields the events of one connection until it ends or breaks. */
export async function* readServerEvents({ body }: Response): AsyncGenerator<ServerEvent> {
  if (body === null) return;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const blocks = (text + value).split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const [, id, name, data] = /^id: (\d+)\nevent: (\w+)\ndata: (.*)$/.exec(block) ?? [];
        if (data !== undefined) yield { id: Number(id), name: name ?? '', data: JSON.parse(data) };
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
