/** Result of one check of the doctor. */

/** `missing` and `warn` limit what the engine can do; `broken` prevents its start. */
export interface CheckResult {
  readonly state: 'ok' | 'warn' | 'missing' | 'broken';
  readonly found: string;
  readonly advice?: string;
}
