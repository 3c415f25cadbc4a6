/** Description of one setting. */
import type { ParseValue } from './parsers.ts';

export interface Setting<Value> {
  readonly variable: string;
  readonly parse: ParseValue<Value>;
  /** Value when none is given. */
  readonly defaultValue: Value;
  /** Default in words, where the value alone is not clear. */
  readonly defaultDescription?: string;
  readonly description: string;
}

/** Keeps the type of a setting's value. */
export function defineSetting<Value>(setting: Setting<Value>): Setting<Value> {
  return setting;
}
