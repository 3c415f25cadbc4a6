/** Schemas of the times and durations that answers carry. */
import { Type } from 'typebox';

/** An instant. */
export function epochMsSchema(what: string) {
  return Type.Integer({ description: `${what}, epoch milliseconds.` });
}

/** A length of time. */
export function durationMsSchema(what: string) {
  return Type.Integer({ minimum: 0, description: `${what}, milliseconds.` });
}
