/** Parameters of a dataset: which ones its query uses, and what sets each of them. */
import type { SqlToken } from '../sql/tokenizer.ts';
import type { ClassicQuery } from './classic.ts';
import {
  createUndeclaredParameter,
  parseOptionalValue,
  parseParameters,
  type ClassicParameter,
  type ParameterValue,
} from './classic-parameters.ts';
import type { DatasetCollection, FilterControl } from './dataset-collection.ts';
import { getObject, getOwn, getText, toJsonObject, type JsonObject } from './json-fields.ts';
import { reserveName, toKeyword } from './names.ts';
import { rangeNameOf } from './query-markers.ts';
import { isUnquoted, parameterNames } from './rewrite-parameters.ts';

/** Source of a parameter's value: the dashboard, one widget, or a constant. */
export type ParameterBinding =
  | { readonly kind: 'dashboard'; readonly name: string; readonly title: string | undefined }
  | {
      readonly kind: 'widget';
      readonly title: string | undefined;
      readonly value: ParameterValue | undefined;
    }
  | { readonly kind: 'static'; readonly value: ParameterValue | undefined };

/** Returns the parameters that a query uses outside of comments, declared or not. */
export function findUsedParameters(tokens: readonly SqlToken[], query: ClassicQuery): ClassicParameter[] {
  const declared = new Map(
    parseParameters(toJsonObject(query.options)).map((parameter) => [parameter.name, parameter]),
  );
  const used = new Map<string, ClassicParameter>();
  for (const marker of parameterNames(tokens)) {
    const range = rangeNameOf(marker);
    const isRange = !declared.has(marker) && range !== undefined;
    const name = isRange ? range : marker;
    if (!used.has(name)) used.set(name, declared.get(name) ?? createUndeclaredParameter(name, isRange));
  }
  return [...used.values()];
}

/** Returns what sets a parameter in a widget; without a mapping, the dashboard sets it under its own name. */
export function bindingOf(
  mappings: JsonObject,
  { name, title: ownTitle }: ClassicParameter,
  widget: string,
): ParameterBinding {
  const mapping = getObject(mappings, name);
  const title = getText(mapping, 'title');
  switch (getText(mapping, 'type')) {
    case 'static-value':
      return { kind: 'static', value: parseOptionalValue(getOwn(mapping, 'value')) };
    case 'widget-level':
      return {
        kind: 'widget',
        title: title ?? (widget === '' ? ownTitle : `${ownTitle} (${widget})`),
        value: parseOptionalValue(getOwn(mapping, 'value')),
      };
    default:
      return { kind: 'dashboard', name: getText(mapping, 'mapTo')?.trim() ?? name, title };
  }
}

/** Reserves the keyword of a parameter in its dataset. */
export function createKeyword(
  all: DatasetCollection,
  { name }: ClassicParameter,
  binding: ParameterBinding,
  taken: Set<string>,
): string {
  // A text that is not rewritten keeps the names of its parameters.
  if (!all.rewrite) return reserveName(taken, name);
  if (binding.kind !== 'widget')
    return reserveName(taken, toKeyword(binding.kind === 'dashboard' ? binding.name : name));
  const count = (all.widgetParameterCounts.get(name) ?? 0) + 1;
  all.widgetParameterCounts.set(name, count);
  return reserveName(taken, `${toKeyword(name)}_${count}`);
}

/**
 * Returns the default value of a parameter. Quotes around the value are removed where the query does not
 * quote the parameter itself.
 */
export function defaultValueOf(
  all: DatasetCollection,
  sql: string,
  parameter: ClassicParameter,
  binding: ParameterBinding,
): ParameterValue {
  const value = (binding.kind === 'dashboard' ? undefined : binding.value) ?? parameter.value;
  const [text = ''] =
    value.kind === 'values' && value.values.length === 1 && parameter.kind === 'text' ? value.values : [];
  const [, inner] = /^'([^']*)'$/.exec(text) ?? [];
  return inner !== undefined && all.rewrite && isUnquoted(all.tokenize(sql), parameter.name)
    ? { kind: 'values', values: [inner] }
    : value;
}

/** Returns the control that sets a parameter; undefined for a constant. */
export function getOrAddControl(
  all: DatasetCollection,
  signature: string,
  parameter: ClassicParameter,
  binding: ParameterBinding,
  value: ParameterValue,
  warn: (note: string) => void,
): { readonly id: string; readonly control: FilterControl } | undefined {
  if (binding.kind === 'static') return undefined;
  const id = JSON.stringify(
    binding.kind === 'dashboard' ? ['dashboard', binding.name] : ['widget', signature, parameter.name],
  );
  const known = all.controls.get(id);
  if (known === undefined) {
    const control = { title: binding.title ?? parameter.title, parameter, value, bindings: [], shown: false };
    all.controls.set(id, control);
    return { id, control };
  }
  const differs =
    known.parameter.kind !== parameter.kind ||
    (known.parameter.multiple === undefined) !== (parameter.multiple === undefined);
  if (differs)
    warn(
      `its parameter ${parameter.name} has another type than the dashboard parameter that sets it, ${known.title}`,
    );
  return { id, control: known };
}
