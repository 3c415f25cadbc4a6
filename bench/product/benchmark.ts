/** A benchmark of `npm run bench`: what it measures, and where it records the values. */

/** Unit of a measure; for `runs/s` more is better, for the others less. */
export type Unit = 'ms' | 'runs/s' | 'MB' | 'KB' | '% CPU' | '% of requests' | 'queries/s' | 'x';

/** A value that was measured, or the floor beside which it was measured. */
export interface Recorder {
  /** Records values of a measure, one per repetition. */
  record(measure: string, unit: Unit, ...values: readonly number[]): void;
  /**
   * Compares the medians of two measures of this run: `measure / floor`, as `x`.
   * @param bar the ratio that the project aims at; shown beside the result
   */
  compare(measure: string, floor: string, bar?: number): void;
  /** Names the value that the project aims at; shown beside the result. */
  aimAt(measure: string, bar: number): void;
}

export interface BenchmarkContext extends Recorder {
  /** Repetitions of the whole measurement, at least 3. Measures and their floors alternate. */
  readonly rounds: number;
  /** PATH of the engine and of its tasks. */
  readonly path: string;
  /** Shows what is being measured. */
  note(text: string): void;
}

export interface Benchmark {
  readonly name: string;
  readonly summary: string;
  run(context: BenchmarkContext): Promise<void>;
}
