/** Datasets and filter controls of a dashboard while it is migrated. */
import { tokenize, type SqlToken } from '../sql/tokenizer.ts';
import type { ClassicParameter, ParameterValue } from './classic-parameters.ts';
import type { Dataset } from './modern.ts';

/** Control that sets a parameter; it becomes a filter, which sets the parameter in all its datasets. */
export interface FilterControl {
  readonly title: string;
  readonly parameter: ClassicParameter;
  readonly value: ParameterValue;
  readonly bindings: { readonly dataset: string; readonly keyword: string }[];
  /** True when a visible widget depends on the control. */
  shown: boolean;
}

export interface DatasetCollection {
  readonly rewrite: boolean;
  readonly createName: (text: string) => string;
  readonly datasets: Dataset[];
  /** Controls by id, in the order in which they were found. */
  readonly controls: Map<string, FilterControl>;
  readonly bySignature: Map<string, KnownDataset>;
  /** Parameter name -> number of widgets that have a parameter of that name of their own. */
  readonly widgetParameterCounts: Map<string, number>;
  readonly copyCounts: Map<string, number>;
  readonly warnings: string[];
  /** Returns the tokens of a query; each text is tokenized once. */
  readonly tokenize: (sql: string) => readonly SqlToken[];
}

export interface KnownDataset {
  readonly name: string;
  readonly displayName: string;
  readonly controls: readonly string[];
}

export function createDatasetCollection(
  rewrite: boolean,
  createName: (text: string) => string,
  warnings: string[],
): DatasetCollection {
  return {
    rewrite,
    createName,
    datasets: [],
    controls: new Map(),
    bySignature: new Map(),
    widgetParameterCounts: new Map(),
    copyCounts: new Map(),
    warnings,
    tokenize: memoize((sql) => tokenize(sql)),
  };
}

function memoize<Value>(compute: (text: string) => Value): (text: string) => Value {
  const values = new Map<string, Value>();
  return (text) => {
    const value = values.get(text) ?? compute(text);
    values.set(text, value);
    return value;
  };
}
