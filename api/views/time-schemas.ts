/** Schemas of times and durations in responses. */
import { Type } from 'typebox';

/** Returns the schema of a point in time. */
export function epochMsSchema(description: string) {
  return Type.Integer({ description: `${description}, epoch milliseconds.` });
}

/** Returns the schema of a duration. */
export function durationMsSchema(description: string) {
  return Type.Integer({ minimum: 0, description: `${description}, milliseconds.` });
}
