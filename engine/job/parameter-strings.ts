/** Texts of task parameters, which may contain references to dynamic values. */
import { isBuiltIn } from './task-kinds.ts';
import { fieldPath } from '../validation/messages.ts';

/** Parameter fields of task kinds: lists or maps of texts. References in other fields are not resolved. */
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
 * Maps every text in the parameter fields of a task. All texts of a plugin task are parameters, at any depth.
 * @param path path of the kind, prefix of the paths passed to `change`
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

/** Maps every text within a value; field names stay unchanged. */
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

/** Maps the texts of a list or map; other values stay unchanged. */
export function mapStrings(path: string, value: unknown, change: StringMapper): unknown {
  const changed = (entry: unknown, where: string): unknown =>
    typeof entry === 'string' ? change(entry, where) : entry;
  if (Array.isArray(value)) return value.map((entry: unknown, index) => changed(entry, `${path}[${index}]`));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, entry]) => [name, changed(entry, fieldPath(path, name))]),
  );
}
