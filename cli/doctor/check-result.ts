/** What one check of the doctor found. */

/** `missing` and `poor` leave something undone; `broken` keeps the engine from running. */
export interface CheckResult {
  readonly state: 'ok' | 'poor' | 'missing' | 'broken';
  readonly found: string;
  readonly advice?: string;
}
