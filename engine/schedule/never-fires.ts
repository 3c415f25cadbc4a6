/** The refusal of an expression without a future fire. */
import { invalid } from '../errors.ts';

/** In the words that clients know. */
export function neverFiresError(expression: string): Error {
  return invalid(`The provided cron expression: ${expression} will never fire.`);
}
