/** Compares the settings of a file with those of a stored job. */

/** A difference between a file and a job. */
export interface Difference {
  /** Path of the field, as in "tasks[load].max_retries". */
  readonly path: string;
  /** Value of the job; undefined: the job has no such field. */
  readonly stored: unknown;
  /** Value of the file; undefined: the file leaves the field out. */
  readonly wanted: unknown;
}

/** What the service shows for a field that a file leaves out, besides false, 0 and empty values. */
const shownDefaults: Readonly<Record<string, readonly unknown[]>> = {
  format: ['MULTI_TASK', 'SINGLE_TASK'],
  max_concurrent_runs: [1],
  name: ['Untitled'],
  run_if: ['ALL_SUCCESS'],
  source: ['WORKSPACE'],
  pause_status: ['UNPAUSED'],
};

/** Fields of a file that the settings of a job do not show. */
const unshownFields: ReadonlySet<string> = new Set(['access_control_list']);

/** Lists are compared by the field that identifies their elements, where they have one. */
const keyFields = ['task_key', 'job_cluster_key', 'name', 'environment_key'] as const;

/** Returns the differences between the settings that a job has and those of a file. */
export function compareSettings(stored: unknown, wanted: unknown, path = ''): Difference[] {
  if (Array.isArray(stored) && Array.isArray(wanted)) return compareLists(stored, wanted, path);
  if (isObject(stored) && isObject(wanted)) return compareObjects(stored, wanted, path);
  if (isSame(stored, wanted)) return [];
  return [{ path, stored, wanted }];
}

function compareObjects(
  stored: Readonly<Record<string, unknown>>,
  wanted: Readonly<Record<string, unknown>>,
  path: string,
): Difference[] {
  const names = new Set([...Object.keys(stored), ...Object.keys(wanted)]);
  return [...names].flatMap((name): Difference[] => {
    if (unshownFields.has(name)) return [];
    const [before, after] = [stored[name], wanted[name]];
    const at = path === '' ? name : `${path}.${name}`;
    if (after === undefined)
      return isDefault(name, before) ? [] : [{ path: at, stored: before, wanted: after }];
    if (before === undefined) return isEmpty(after) ? [] : [{ path: at, stored: before, wanted: after }];
    return compareSettings(before, after, at);
  });
}

function compareLists(stored: readonly unknown[], wanted: readonly unknown[], path: string): Difference[] {
  const key = keyFields.find((field) => [...stored, ...wanted].every((one) => isObject(one) && field in one));
  if (key === undefined) return isSame(stored, wanted) ? [] : [{ path, stored, wanted }];
  const byKey = (list: readonly unknown[]): Map<string, unknown> =>
    new Map(list.map((one): [string, unknown] => [isObject(one) ? String(one[key]) : '', one]));
  const [before, after] = [byKey(stored), byKey(wanted)];
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((name): Difference[] => {
    const at = `${path}[${name}]`;
    const [one, other] = [before.get(name), after.get(name)];
    return one === undefined || other === undefined
      ? [{ path: at, stored: one, wanted: other }]
      : compareSettings(one, other, at);
  });
}

/** Returns true for a value that the service shows where nothing was set. */
function isDefault(name: string, value: unknown): boolean {
  if (isEmpty(value) || (shownDefaults[name] ?? []).includes(value)) return true;
  return isObject(value) && Object.entries(value).every(([field, one]) => isDefault(field, one));
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === 0 || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/** Numbers and booleans of maps such as spark_conf are stored as text. */
function isSame(one: unknown, other: unknown): boolean {
  if (typeof one === 'object' || typeof other === 'object')
    return JSON.stringify(one) === JSON.stringify(other);
  return String(one) === String(other);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
