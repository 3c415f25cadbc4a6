/**
 * Datasets from the queries of a classic dashboard: one for each query and each combination of what sets its
 * parameters.
 */
import type { SqlToken } from '../sql/tokenizer.ts';
import type { ClassicQuery } from './classic.ts';
import type { ClassicParameter } from './classic-parameters.ts';
import type { DatasetCollection, FilterControl, KnownDataset } from './dataset-collection.ts';
import {
  bindingOf,
  createKeyword,
  defaultValueOf,
  findUsedParameters,
  getOrAddControl,
  type ParameterBinding,
} from './dataset-parameters.ts';
import { getText, toJsonObject, type JsonObject } from './json-fields.ts';
import type { ModernParameter } from './modern.ts';
import { toModernParameter } from './modern-parameter.ts';
import { rewriteParameters } from './rewrite-parameters.ts';

/** Use of a query by a widget. */
export interface QueryUse {
  /** Parameter name -> what sets it in the widget. */
  readonly mappings: JsonObject;
  readonly isShown: boolean;
  readonly title: string;
}

/** Returns the dataset of a query for a widget, and adds it when it is new. */
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
  // A dataset with a parameter of its widget is not shared.
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
    const sharedKeyword = binding.kind === 'dashboard' ? sharing.get(binding.name) : undefined;
    const keyword = sharedKeyword ?? createKeyword(all, parameter, binding, taken);
    if (binding.kind === 'dashboard') sharing.set(binding.name, keyword);
    const value = defaultValueOf(all, sql, parameter, binding);
    const found = getOrAddControl(all, signature, parameter, binding, value, warn);
    if (found !== undefined) controls.push(found.id);
    if (sharedKeyword !== undefined) return { parameter, keyword };
    found?.control.bindings.push({ dataset: name, keyword });
    const { parameter: modern, notes } = toModernParameter(parameter, keyword, found?.control.value ?? value);
    converted.push(found === undefined ? modern : { ...modern, displayName: found.control.title });
    notes.forEach(warn);
    return { parameter, keyword };
  });
  const text = all.rewrite ? rewriteSql(all.tokenize(sql), named, warn) : sql;
  if (!all.rewrite && named.length > 0)
    warn('its parameters are still {{ }}, which the modern format does not support');
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
      isText: kind === 'text' || kind === 'enum' || kind === 'query',
      list:
        multiple === undefined
          ? undefined
          : { ...multiple, emptyByDefault: value.kind === 'values' && value.values.length === 0 },
    })),
  );
  notes.forEach(warn);
  return text;
}

/** Splits a text into lines with their line ends; the lines together are the text. */
export function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+/g) ?? [];
}
