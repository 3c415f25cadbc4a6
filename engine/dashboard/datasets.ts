/**
 * Datasets from the queries of a classic dashboard: one for each query and for each way in which its
 * parameters are set.
 */
import type { ClassicQuery } from './classic.ts';
import { freeName, keywordOf } from './names.ts';
import type { Dataset, ModernParameter } from './modern.ts';
import { modernParameter } from './parameter-defaults.ts';
import {
  parametersOf,
  undeclared,
  valueIn,
  type ClassicParameter,
  type ParameterValue,
} from './parameters.ts';
import { rangeOf } from './query-markers.ts';
import { isBare, parameterNames, rewriteParameters } from './query-parameters.ts';
import { fieldsIn, fieldsOf, own, textIn, type Fields } from './reading.ts';
import { tokensOf, type Token } from '../sql/tokens.ts';

/** Who sets a parameter: the dashboard, one widget alone, or nobody. */
type Binding =
  | { readonly kind: 'dashboard'; readonly name: string; readonly title: string | undefined }
  | {
      readonly kind: 'widget';
      readonly title: string | undefined;
      readonly value: ParameterValue | undefined;
    }
  | { readonly kind: 'static'; readonly value: ParameterValue | undefined };

/** A parameter that people can set: it becomes a filter, which sets it in all its datasets. */
export interface Control {
  readonly title: string;
  readonly parameter: ClassicParameter;
  readonly value: ParameterValue;
  readonly bindings: { readonly dataset: string; readonly keyword: string }[];
  /** Whether a widget that is shown depends on it. */
  shown: boolean;
}

/** The datasets of a dashboard while they are collected. */
export interface Collection {
  readonly rewrite: boolean;
  readonly nameFor: (text: string) => string;
  readonly datasets: Dataset[];
  /** In the order in which they were met. */
  readonly controls: Map<string, Control>;
  readonly bySignature: Map<string, Known>;
  /** How many widgets have set a parameter of a name for themselves. */
  readonly widgetLevel: Map<string, number>;
  readonly copies: Map<string, number>;
  readonly warnings: string[];
  /** The tokens of a query; a text that was met before is not read again. */
  readonly tokensOf: (sql: string) => readonly Token[];
}

interface Known {
  readonly name: string;
  readonly displayName: string;
  readonly controls: readonly string[];
}

export function collection(
  rewrite: boolean,
  nameFor: (text: string) => string,
  warnings: string[],
): Collection {
  return {
    rewrite,
    nameFor,
    datasets: [],
    controls: new Map(),
    bySignature: new Map(),
    widgetLevel: new Map(),
    copies: new Map(),
    warnings,
    tokensOf: remembered(tokensOf),
  };
}

function remembered<Value>(make: (text: string) => Value): (text: string) => Value {
  const made = new Map<string, Value>();
  return (text) => {
    const value = made.get(text) ?? make(text);
    made.set(text, value);
    return value;
  };
}

/** How a widget uses a query. */
export interface Use {
  /** How the widget sets the parameters of the query. */
  readonly mappings: Fields;
  readonly isShown: boolean;
  readonly title: string;
}

/** The dataset of a query as a widget uses it; made when it is met for the first time. */
export function datasetFor(
  all: Collection,
  query: ClassicQuery,
  { mappings, isShown, title }: Use,
): { readonly name: string; readonly displayName: string } {
  const sql = query.query ?? '';
  const parameters = usedParameters(all.tokensOf(sql), query);
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
  if (isShown) for (const id of known.controls) show(all.controls.get(id));
  return known;
}

function show(control: Control | undefined): void {
  if (control !== undefined) control.shown = true;
}

interface NewDataset {
  readonly query: ClassicQuery;
  readonly sql: string;
  readonly key: string;
  readonly signature: string;
  readonly bound: readonly { readonly parameter: ClassicParameter; readonly binding: Binding }[];
}

function addDataset(all: Collection, { query, sql, key, signature, bound }: NewDataset): Known {
  const name = all.nameFor(`dataset ${signature}`);
  const copy = (all.copies.get(key) ?? 0) + 1;
  all.copies.set(key, copy);
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
    const keyword = isShared ?? keywordFor(all, parameter, binding, taken);
    if (binding.kind === 'dashboard') sharing.set(binding.name, keyword);
    const control = controlOf(
      all,
      signature,
      parameter,
      binding,
      defaultOf(all, sql, parameter, binding),
      warn,
    );
    if (control !== undefined) {
      controls.push(control.id);
      if (isShared === undefined) control.control.bindings.push({ dataset: name, keyword });
    }
    if (isShared === undefined) {
      const { parameter: modern, notes } = modernParameter(
        parameter,
        keyword,
        control?.control.value ?? defaultOf(all, sql, parameter, binding),
      );
      converted.push(control === undefined ? modern : { ...modern, displayName: control.control.title });
      notes.forEach(warn);
    }
    return { parameter, keyword };
  });
  const text = all.rewrite ? rewritten(all.tokensOf(sql), named, warn) : sql;
  if (!all.rewrite && named.length > 0)
    warn('its parameters are left as {{ }}, which the new format does not run');
  const options = fieldsOf(query.options);
  const [catalog, schema] = [textIn(options, 'catalog'), textIn(options, 'schema')];
  all.datasets.push({
    name,
    displayName,
    queryLines: linesOf(text),
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
function usedParameters(tokens: readonly Token[], query: ClassicQuery): ClassicParameter[] {
  const declared = new Map(
    parametersOf(fieldsOf(query.options)).map((parameter) => [parameter.name, parameter]),
  );
  const used = new Map<string, ClassicParameter>();
  for (const marker of parameterNames(tokens)) {
    const range = rangeOf(marker);
    const isRange = !declared.has(marker) && range !== undefined;
    const name = isRange ? range : marker;
    if (!used.has(name)) used.set(name, declared.get(name) ?? undeclared(name, isRange));
  }
  return [...used.values()];
}

/** What no mapping is given for is set by the dashboard, under its own name. */
function bindingOf(mappings: Fields, { name, title: itsTitle }: ClassicParameter, widget: string): Binding {
  const mapping = fieldsIn(mappings, name);
  const title = textIn(mapping, 'title');
  switch (textIn(mapping, 'type')) {
    case 'static-value':
      return { kind: 'static', value: valueIn(own(mapping, 'value')) };
    case 'widget-level':
      return {
        kind: 'widget',
        title: title ?? (widget === '' ? itsTitle : `${itsTitle} (${widget})`),
        value: valueIn(own(mapping, 'value')),
      };
    default:
      return { kind: 'dashboard', name: textIn(mapping, 'mapTo')?.trim() ?? name, title };
  }
}

function keywordFor(
  all: Collection,
  { name }: ClassicParameter,
  binding: Binding,
  taken: Set<string>,
): string {
  // A text that is not rewritten names its parameters as it did.
  if (!all.rewrite) return freeName(taken, name);
  if (binding.kind !== 'widget')
    return freeName(taken, keywordOf(binding.kind === 'dashboard' ? binding.name : name));
  const count = (all.widgetLevel.get(name) ?? 0) + 1;
  all.widgetLevel.set(name, count);
  return freeName(taken, `${keywordOf(name)}_${count}`);
}

/**
 * The value that a parameter begins with. Where the text had no quotes of its own, those of the value are
 * dropped.
 */
function defaultOf(
  all: Collection,
  sql: string,
  parameter: ClassicParameter,
  binding: Binding,
): ParameterValue {
  const value = (binding.kind === 'dashboard' ? undefined : binding.value) ?? parameter.value;
  const [text = ''] =
    value.kind === 'values' && value.values.length === 1 && parameter.kind === 'text' ? value.values : [];
  const [, inner] = /^'([^']*)'$/.exec(text) ?? [];
  return inner !== undefined && all.rewrite && isBare(all.tokensOf(sql), parameter.name)
    ? { kind: 'values', values: [inner] }
    : value;
}

/** The control that sets a parameter; undefined for one that nobody sets. */
function controlOf(
  all: Collection,
  signature: string,
  parameter: ClassicParameter,
  binding: Binding,
  value: ParameterValue,
  warn: (note: string) => void,
): { readonly id: string; readonly control: Control } | undefined {
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

function rewritten(
  tokens: readonly Token[],
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
export function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+/g) ?? [];
}
