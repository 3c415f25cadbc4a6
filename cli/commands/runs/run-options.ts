/** Options of `runyard run`. */
import type { OutputOptions } from '../../output/print-result.ts';

export interface RunOptions extends OutputOptions {
  /** Values by name. */
  readonly param: Readonly<Record<string, string>>;
  /** Words for programs. */
  readonly arg: readonly string[];
  readonly follow?: true;
  /** Cluster of a file. */
  readonly cluster?: string;
  readonly idempotencyToken?: string;
}
