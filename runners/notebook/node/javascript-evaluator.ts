/** Evaluates code like the console of developer tools, through the inspector of this process. */
import type { Runtime } from 'node:inspector';
import { Session } from 'node:inspector/promises';

export type EvaluationResult =
  | { readonly kind: 'value'; readonly value: unknown }
  /** Line and column of a syntax error, from 0. */
  | { readonly kind: 'thrown'; readonly thrown: unknown; readonly line: number; readonly column: number };

export interface Evaluator {
  /** @param file name of the code in traces */
  evaluate(code: string, file: string): Promise<EvaluationResult>;
  close(): void;
}

/** Global that receives a value, because the inspector only returns descriptions of values. */
const valueSlot = Symbol.for('runyard.value');

export function createEvaluator(): Evaluator {
  const session = new Session();
  session.connect();

  const valueOf = async ({
    unserializableValue,
    objectId,
    subtype,
    value,
  }: Runtime.RemoteObject): Promise<unknown> => {
    if (unserializableValue !== undefined) return parseUnserializable(unserializableValue);
    if (objectId === undefined) return subtype === 'null' ? null : value;
    await session.post('Runtime.callFunctionOn', {
      objectId,
      arguments: [{ objectId }],
      functionDeclaration: `function (value) { globalThis[Symbol.for('${valueSlot.description}')] = value; }`,
    });
    const received: unknown = Reflect.get(globalThis, valueSlot);
    Reflect.set(globalThis, valueSlot, undefined);
    return received;
  };

  return {
    async evaluate(code, file) {
      const request = {
        expression: `${code}\n//# sourceURL=${file}`,
        replMode: true,
        awaitPromise: true,
        objectGroup: 'cell',
      };
      // The type declarations lack the results of `post`.
      const { result, exceptionDetails } = (await session.post(
        'Runtime.evaluate',
        request,
      )) as unknown as Runtime.EvaluateReturnType;
      try {
        if (exceptionDetails === undefined) return { kind: 'value', value: await valueOf(result) };
        const { exception, text, lineNumber, columnNumber } = exceptionDetails;
        return {
          kind: 'thrown',
          thrown: exception === undefined ? text : await valueOf(exception),
          line: lineNumber,
          column: columnNumber,
        };
      } finally {
        // Frees the objects that the inspector keeps for a console.
        await session.post('Runtime.releaseObjectGroup', { objectGroup: 'cell' });
        await session.post('Runtime.discardConsoleEntries');
      }
    },
    close: () => session.disconnect(),
  };
}

/** Parses `10n`, `NaN`, `-0` and `Infinity`. */
function parseUnserializable(text: string): unknown {
  return text.endsWith('n') ? BigInt(text.slice(0, -1)) : Number(text);
}
