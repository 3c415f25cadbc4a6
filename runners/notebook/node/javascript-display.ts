/**
 * `display` of JavaScript notebooks: shows rows as a table, HTML, images, and other values in the format of
 * Node's console.
 */
import { inspect } from 'node:util';
import type { CellOutput, CellValue } from '../../../engine/run/task-output.ts';
import type { CellOutputWriter } from './driver-protocol.ts';
import { fixedLimits } from '../../../engine/limits.ts';
import { truncateText } from './table-limits.ts';

type TableOutput = Extract<CellOutput, { type: 'table' }>;

export interface Display {
  display(...values: readonly unknown[]): void;
  displayHtml(html: unknown): void;
  /** Shows the value of the last expression of a cell, unless it is undefined. */
  displayResult(value: unknown): void;
}

export function createDisplay(shown: CellOutputWriter): Display {
  return {
    display(...values) {
      for (const value of values)
        shown.add(typeof value === 'string' ? { type: 'text', data: value } : toOutput(value));
    },
    displayHtml: (html) => shown.add({ type: 'html', data: String(html) }),
    displayResult(value) {
      if (value !== undefined) shown.add(toOutput(value));
    },
  };
}

function toOutput(value: unknown): CellOutput {
  if (isObject(value)) {
    const special = tableOf(value) ?? imageOf(value) ?? htmlOf(value);
    if (special !== undefined) return special;
  }
  return {
    type: 'text',
    data: inspect(value, {
      depth: 4,
      maxArrayLength: 200,
      maxStringLength: fixedLimits.tableValueCharacters,
      breakLength: 100,
    }),
  };
}

/** Recognizes `{ html: '<b>…</b>' }` without other keys. */
function htmlOf(value: object): CellOutput | undefined {
  const html = Reflect.ownKeys(value).length === 1 ? Reflect.get(value, 'html') : undefined;
  return typeof html === 'string' ? { type: 'html', data: html } : undefined;
}

/** First bytes of an image file, in hex, with its MIME type. */
const imageSignatures = [
  ['89504e47', 'image/png'],
  ['ffd8ff', 'image/jpeg'],
  ['47494638', 'image/gif'],
] as const;

/** Recognizes the bytes of an image, or `{ svg: '<svg …>' }`. */
function imageOf(value: object): CellOutput | undefined {
  if (value instanceof Uint8Array) {
    const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    const mime = imageSignatures.find(([hex]) => bytes.toString('hex', 0, 4).startsWith(hex))?.[1];
    return mime === undefined ? undefined : { type: 'image', mime, data: bytes.toString('base64') };
  }
  const svg = Reflect.ownKeys(value).length === 1 ? Reflect.get(value, 'svg') : undefined;
  return typeof svg === 'string'
    ? { type: 'image', mime: 'image/svg+xml', data: Buffer.from(svg).toString('base64') }
    : undefined;
}

/** Converts an array of plain objects to a table with a column for each key, in order of appearance. */
function tableOf(value: object): TableOutput | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const first: unknown[] = value.slice(0, fixedLimits.tableRows);
  if (!first.every(isPlainObject)) return undefined;
  const names = [...new Set(first.flatMap((row) => Object.keys(row)))];
  if (names.length === 0) return undefined;
  const rows: CellValue[][] = [];
  let bytes = 0;
  for (const row of first) {
    const cells = names.map((name) => toCellValue(Reflect.get(row, name)));
    bytes += Buffer.byteLength(JSON.stringify(cells)) + 1;
    if (bytes > fixedLimits.tableBytes) break;
    rows.push(cells);
  }
  const columns = names.map((name, index) => ({
    name,
    type: columnTypeOf(rows.map((row) => row[index] ?? null)),
  }));
  return { type: 'table', columns, rows, ...(value.length > rows.length && { rowsTotal: value.length }) };
}

/** Returns the column type that fits all values, with the names that other languages use. */
function columnTypeOf(values: readonly CellValue[]): string {
  const present = values.filter((value) => value !== null);
  if (present.length > 0 && present.every((value) => typeof value === 'boolean')) return 'boolean';
  if (present.length === 0 || present.some((value) => typeof value !== 'number')) return 'string';
  return present.every(Number.isInteger) ? 'bigint' : 'double';
}

function toCellValue(value: unknown): CellValue {
  if (value === null || value === undefined) return null;
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  const text =
    typeof value === 'string'
      ? value
      : value instanceof Date && !Number.isNaN(value.getTime())
        ? value.toISOString()
        : inspect(value, { depth: 3, breakLength: Infinity });
  return truncateText(text);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function isPlainObject(value: unknown): value is object {
  if (!isObject(value) || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}
