/**
 * Datasets from the queries of a classic dashboard: one for each query and for each way in which its
 * parameters are set.
 */
import type { ClassicQuery } from './classic.ts';
import { reserveName, toKeyword } from './names.ts';
import type { Dataset, ModernParameter } from './modern.ts';
import { toModernParameter } from './modern-parameter.ts';
import {
  parseParameters,
  createUndeclaredParameter,
  parseOptionalValue,
  type ClassicParameter,
  type ParameterValue,
} from './classic-parameters.ts';
import { rangeNameOf } from './query-markers.ts';
import { isUnquoted, parameterNames, rewriteParameters } from './rewrite-parameters.ts';
import { getObject, toJsonObject, getOwn, getText, type JsonObject } from './json-fields.ts';
import { tokenize, type SqlToken } from '../sql/tokenizer.ts';

/** Who sets a parameter: the dashboard, one widget alone, or nobody. */
type ParameterBinding =
  | { readonly kind: 'dashboard'; readonly name: string; readonly title: string | undefined }
  | {
      readonly kind: 'widget';
      readonly title: string | undefined;
      readonly value: ParameterValue | undefined;
    }
  | { readonly kind: 'static'; readonly value: ParameterValue | undefined };

/** A parameter that people can set: it becomes a filter, which sets it in all its datasets. */
export interface FilterControl {
  readonly title: string;
  readonly parameter: ClassicParameter;
  readonly value: ParameterValue;
  readonly bindings: { readonly dataset: string; readonly keyword: string }[];
  /** Whether a widget that is shown depends on it. */
  shown: boolean;
}

/** The datasets of a dashboard while they are collected. */
export interface DatasetCollection {
  readonly rewrite: boolean;
  readonly createName: (text: string) => string;
  readonly datasets: Dataset[];
  /** In the order in which they were met. */
  readonly controls: Map<string, FilterControl>;
  readonly bySignature: Map<string, KnownDataset>;
  /** How many widgets have set a parameter of a name for themselves. */
  readonly widgetParameterCounts: Map<string, number>;
  readonly copyCounts: Map<string, number>;
  readonly warnings: string[];
  /** The tokens of a query; a text that was met before is not read again. */
  readonly tokenize: (sql: string) => readonly SqlToken[];
}

interface KnownDataset {
  readonly name: string;
  readonly displayName: string;
  readonly controls: readonly string[];
}

export function createDatasetCollection(
  rewrite: boolean,
  nameFor: (text: string) => string,
  warnings: string[],
): DatasetCollection {
  return {
    rewrite,
    createName: nameFor,
    datasets: [],
    controls: new Map(),
    bySignature: new Map(),
    widgetParameterCounts: new Map(),
    copyCounts: new Map(),
    warnings,
    tokenize: memoize(tokenize),
  };
}

function memoize<Value>(make: (text: string) => Value): (text: string) => Value {
  const made = new Map<string, Value>();
  return (text) => {
    const value = made.get(text) ?? make(text);
    made.set(text, value);
    return value;
  };
}

/** How a widget uses a query. */
export interface QueryUse {
  /** How the widget sets the parameters of the query. */
  readonly mappings: JsonObject;
  readonly isShown: boolean;
  readonly title: string;
}

/** The dataset of a query as a widget uses it; made when it is met for the first time. */
export function getOrAddDataset(
  all: DatasetCollection,
  query: ClassicQuery,
  { mappings, isShown, title }: QueryUse,
): { readonly name: string; readonly displayName: string } {
  const sql = query.query ?? '';
  const parameters = findUsedParameters(all.tokenize(sql), query);
  const bound = parameters.map((parameter) => ({
    parameter,
    binding: bindingOf(mappings, parameter, title),
  }));
  const key = JSON.stringify([query.id ?? query.name ?? '', sql]);
  // What a widget sets for itself is shared with nobody.
  const isOwn = bound.some(({ binding }) => binding.kind === 'widget');
  const signature = JSON.stringify([
    key,
    isOwn ? all.datasets.length : '',
    bound.map(({ binding }) => binding),
  ]);
  const known = all.bySignature.get(signature) ?? addDataset(all, { query, sql, key, signature, bound });
  if (isShown) for (const id of known.controls) markShown(all.controls.get(id));
  return known;
}

function markShown(control: FilterControl | undefined): void {
  if (control !== undefined) control.shown = true;
}

interface NewDataset {
  readonly query: ClassicQuery;
  readonly sql: string;
  readonly key: string;
  readonly signature: string;
  readonly bound: readonly { readonly parameter: ClassicParameter; readonly binding: ParameterBinding }[];
}

function addDataset(all: DatasetCollection, { query, sql, key, signature, bound }: NewDataset): KnownDataset {
  const name = all.createName(`dataset ${signature}`);
  const copy = (all.copyCounts.get(key) ?? 0) + 1;
  all.copyCounts.set(key, copy);
  const title = query.name?.trim() || 'Query';
  const displayName = copy === 1 ? title : `${title} (${copy})`;
  const warn = (note: string): void => {
    all.warnings.push(`Dataset "${displayName}": ${note}.`);
  };
  const taken = new Set<string>();
  const sharing = new Map<string, string>();
  const converted: ModernParameter[] = [];
  const controls: string[] = [];
  const named = bound.map(({ parameter, binding }) => {
    const isShared = binding.kind === 'dashboard' ? sharing.get(binding.name) : undefined;
    const keyword = isShared ?? createKeyword(all, parameter, binding, taken);
    if (binding.kind === 'dashboard') sharing.set(binding.name, keyword);
    const control = getOrAddControl(
      all,
      signature,
      parameter,
      binding,
      defaultValueOf(all, sql, parameter, binding),
      warn,
    );
    if (control !== undefined) {
      controls.push(control.id);
      if (isShared === undefined) control.control.bindings.push({ dataset: name, keyword });
    }
    if (isShared === undefined) {
      const { parameter: modern, notes } = toModernParameter(
        parameter,
        keyword,
        control?.control.value ?? defaultValueOf(all, sql, parameter, binding),
      );
      converted.push(control === undefined ? modern : { ...modern, displayName: control.control.title });
      notes.forEach(warn);
    }
    return { parameter, keyword };
  });
  const text = all.rewrite ? rewriteSql(all.tokenize(sql), named, warn) : sql;
  if (!all.rewrite && named.length > 0)
    warn('its parameters are left as {{ }}, which the new format does not run');
  const options = toJsonObject(query.options);
  const [catalog, schema] = [getText(options, 'catalog'), getText(options, 'schema')];
  all.datasets.push({
    name,
    displayName,
    queryLines: splitLines(text),
    ...(converted.length > 0 && { parameters: converted }),
    ...(catalog !== undefined && { catalog }),
    ...(schema !== undefined && { schema }),
  });
  const known = { name, displayName, controls };
  all.bySignature.set(signature, known);
  return known;
}

/**
 * The declared parameters that the text uses, and those that it uses without a declaration; comments do not
 * count.
 */
function findUsedParameters(tokens: readonly SqlToken[], query: ClassicQuery): ClassicParameter[] {
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

/** What no mapping is given for is set by the dashboard, under its own name. */
function bindingOf(
  mappings: JsonObject,
  { name, title: itsTitle }: ClassicParameter,
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
        title: title ?? (widget === '' ? itsTitle : `${itsTitle} (${widget})`),
        value: parseOptionalValue(getOwn(mapping, 'value')),
      };
    default:
      return { kind: 'dashboard', name: getText(mapping, 'mapTo')?.trim() ?? name, title };
  }
}

function createKeyword(
  all: DatasetCollection,
  { name }: ClassicParameter,
  binding: ParameterBinding,
  taken: Set<string>,
): string {
  // A text that is not rewritten names its parameters as it did.
  if (!all.rewrite) return reserveName(taken, name);
  if (binding.kind !== 'widget')
    return reserveName(taken, toKeyword(binding.kind === 'dashboard' ? binding.name : name));
  const count = (all.widgetParameterCounts.get(name) ?? 0) + 1;
  all.widgetParameterCounts.set(name, count);
  return reserveName(taken, `${toKeyword(name)}_${count}`);
}

/**
 * The value that a parameter begins with. Where the text had no quotes of its own, those of the value are
 * dropped.
 */
function defaultValueOf(
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

/** The control that sets a parameter; undefined for one that nobody sets. */
function getOrAddControl(
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
      `its parameter ${parameter.name} is of another type than the parameter of the dashboard that sets it, ${known.title}`,
    );
  return { id, control: known };
}

function rewriteSql(
  tokens: readonly SqlToken[],
  named: readonly { readonly parameter: ClassicParameter; readonly keyword: string }[],
  warn: (note: string) => void,
): string {
  const { sql: text, notes } = rewriteParameters(
    tokens,
    named.map(({ parameter: { name, kind, multiple, value }, keyword }) => ({
      name,
      keyword,
      range: kind === 'date-range' || kind === 'datetime-range',
      list:
        multiple === undefined
          ? undefined
          : { ...multiple, emptyByDefault: value.kind === 'values' && value.values.length === 0 },
    })),
  );
  notes.forEach(warn);
  return text;
}

/** Lines with their ends, so that they are the text again when nothing is put between them. */
export function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+/g) ?? [];
}
