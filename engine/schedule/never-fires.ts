/** Error of an expression that never fires. */
import { invalid } from '../errors.ts';

/** Creates the error; clients match its text. */
export function neverFiresError(expression: string): Error {
  return invalid(`The provided cron expression: ${expression} will never fire.`);
}
