/** Sample values of documented fields. */

/** Values of one field for the walk, with the object that holds them. */
export interface Sample {
  /** Accepted value; for a refused field the refused one. */
  readonly value: unknown;
  /** Other fields of the same object; undefined removes one of the base. */
  readonly beside: object;
  /** Value read back; equal to `value` unless given. */
  readonly shown: unknown;
  /** True when the settings do not contain the field. */
  readonly hidden: boolean;
  /** Refused value of a field that works otherwise. */
  readonly refusedValue: unknown;
  /** True when every value needs a configured object; only its refusal is walked. */
  readonly needsConfiguration: boolean;
}

type Options = Partial<Omit<Sample, 'value' | 'beside'>>;

/** Creates a sample. */
export function sample(value: unknown, beside: object = {}, options: Options = {}): Sample {
  return {
    value,
    beside,
    shown: value,
    hidden: false,
    refusedValue: undefined,
    needsConfiguration: false,
    ...options,
  };
}

/** Samples of the fields of an object. */
export type Samples<Name extends string> = Readonly<Record<Name, Sample>>;

export const newCluster = { num_workers: 1, spark_version: '16.4.x-scala2.12', node_type_id: 'standard-2' };
export const pythonTask = { spark_python_task: { python_file: 'managed_fs:/a.py' } };
export const onCluster = { existing_cluster_id: 'c-1' };

/** Removes the workload of the base object. */
export const withoutWorkload = { existing_cluster_id: undefined, spark_python_task: undefined };
