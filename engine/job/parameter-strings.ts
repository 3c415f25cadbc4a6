/** The texts of a task's parameters: the places where references to dynamic values may stand. */
import { isBuiltIn } from './task-kinds.ts';
import { fieldPath } from '../validation/messages.ts';

/**
 * Fields of task kinds that hand parameters on: a list of texts, or a map to texts. Everything else is taken
 * as written.
 */
const parameterFields: ReadonlySet<string> = new Set([
  'base_parameters',
  'parameters',
  'job_parameters',
  'jar_params',
  'notebook_params',
  'python_params',
  'spark_submit_params',
]);

type StringMapper = (text: string, path: string) => string;

/**
 * The parameter fields of a task's kind, with every text changed; `path` is that of the kind, for the paths
 * of the texts. What a plugin makes of its fields nobody else knows: there every text may refer to values,
 * however deep it lies.
 */
export function mapParameterStrings(
  kind: string,
  path: string,
  body: object,
  change: StringMapper,
): Record<string, unknown> {
  if (!isBuiltIn(kind))
    return Object.fromEntries(
      Object.entries(body).map(([field, value]) => [
        field,
        mapStringsDeep(fieldPath(path, field), value, change),
      ]),
    );
  const fields = Object.entries(body).filter(([field]) => parameterFields.has(field));
  return Object.fromEntries(
    fields.map(([field, value]) => [field, mapStrings(fieldPath(path, field), value, change)]),
  );
}

/** Every text within a value changed; names of fields stay as they are. */
function mapStringsDeep(path: string, value: unknown, change: StringMapper): unknown {
  if (typeof value === 'string') return change(value, path);
  if (Array.isArray(value))
    return value.map((entry: unknown, index) => mapStringsDeep(`${path}[${index}]`, entry, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, entry]) => [
      name,
      mapStringsDeep(fieldPath(path, name), entry, change),
    ]),
  );
}

/** The texts of a list or a map changed; whatever else stands there is kept. */
export function mapStrings(path: string, value: unknown, change: StringMapper): unknown {
  const changed = (entry: unknown, where: string): unknown =>
    typeof entry === 'string' ? change(entry, where) : entry;
  if (Array.isArray(value)) return value.map((entry: unknown, index) => changed(entry, `${path}[${index}]`));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, entry]) => [name, changed(entry, fieldPath(path, name))]),
  );
}
