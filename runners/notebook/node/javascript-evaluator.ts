/** Evaluates code as the console of developer tools does, through the inspector of this very process. */
import type { Runtime } from 'node:inspector';
import { Session } from 'node:inspector/promises';

export type EvaluationResult =
  | { readonly kind: 'value'; readonly value: unknown }
  /** Line and column, from 0, tell where an error of syntax is. */
  | { readonly kind: 'thrown'; readonly thrown: unknown; readonly line: number; readonly column: number };

export interface Evaluator {
  /** @param file under which the code appears in traces */
  evaluate(code: string, file: string): Promise<EvaluationResult>;
  close(): void;
}

/** Where a value comes back: the inspector hands over descriptions of values alone. */
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
    const landed: unknown = Reflect.get(globalThis, valueSlot);
    Reflect.set(globalThis, valueSlot, undefined);
    return landed;
  };

  return {
    async evaluate(code, file) {
      const request = {
        expression: `${code}\n//# sourceURL=${file}`,
        replMode: true,
        awaitPromise: true,
        objectGroup: 'cell',
      };
      // The types know no answers, as they do not know every method.
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
        // What the inspector keeps for a console that nobody opens.
        await session.post('Runtime.releaseObjectGroup', { objectGroup: 'cell' });
        await session.post('Runtime.discardConsoleEntries');
      }
    },
    close: () => session.disconnect(),
  };
}

/** `10n`, `NaN`, `-0`, `Infinity`. */
function parseUnserializable(text: string): unknown {
  return text.endsWith('n') ? BigInt(text.slice(0, -1)) : Number(text);
}
