/** Finds the secrets of a run and masks them in its logs, output and settings. */
import { tasksOf } from '../job/job-format.ts';
import { isSecretName } from '../validation/secret-names.ts';
import type { JobSettings } from '../job/settings.ts';

/** Replacement of a secret. */
export const maskPlaceholder = '***';

/** Variable of a cluster that names further secret variables, separated by commas. */
const secretNamesVariable = 'RUNYARD_SECRETS';

/** Secrets of a run. */
export interface Mask {
  /** Each secret in every form that is searched. */
  readonly forms: readonly Buffer[];
  /** Bytes of the longest form; 0 without secrets. */
  readonly longest: number;
}

/** Range of bytes; `end` is exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Shorter values are not masked: they occur in ordinary words. */
const minSecretLength = 4;
/** Shorter lines of a secret are not masked: they are brackets or padding. */
const minSecretLineLength = 8;
/** Longer secrets are searched in pieces of this length. */
const formPieceBytes = 1_024;

const trivialValues: ReadonlySet<string> = new Set(['true', 'false', 'none', 'null', 'undefined', 'default']);

/** Mask without secrets. */
export const noMask: Mask = { forms: [], longest: 0 };

/**
 * Returns the mask of a run with these settings: the secret variables of all its clusters.
 * @param others variables of existing clusters, which `existingClusterIdsOf` returns
 */
export function maskOfSettings(
  settings: JobSettings,
  others: readonly Readonly<Record<string, string>>[] = [],
): Mask {
  return maskOfVariables([...clusterVariablesOf(settings), ...others]);
}

/** Returns the variables of all clusters that a run creates. */
export function clusterVariablesOf(settings: JobSettings): Readonly<Record<string, string>>[] {
  return [...(settings.job_clusters ?? []), ...tasksOf(settings)].map(
    (holder) => holder.new_cluster?.spark_env_vars ?? {},
  );
}

/** Returns the mask of the secrets among the variables of clusters. */
export function maskOfVariables(clusters: readonly Readonly<Record<string, string>>[]): Mask {
  return createMask(clusters.flatMap(secretValues));
}

/** Returns the ids of the existing clusters that a run uses. */
export function existingClusterIdsOf(settings: JobSettings): string[] {
  return [...new Set(tasksOf(settings).flatMap((task) => task.existing_cluster_id ?? []))];
}

/** Returns the mask of these secrets. */
export function createMask(secrets: readonly string[]): Mask {
  const texts = secrets
    .map((secret) => secret.trim())
    .filter((secret) => secret.length >= minSecretLength && !trivialValues.has(secret.toLowerCase()));
  const forms = new Set(texts.flatMap(secretFormsOf));
  const bytes = [...forms].flatMap((form) => splitForm(Buffer.from(form, 'utf8')));
  return { forms: bytes, longest: Math.max(0, ...bytes.map((form) => form.length)) };
}

function secretValues(variables: Readonly<Record<string, string>>): string[] {
  const marked = new Set((variables[secretNamesVariable] ?? '').split(',').map((name) => name.trim()));
  return Object.entries(variables)
    .filter(([name]) => isSecretName(name) || marked.has(name))
    .map(([, value]) => value);
}

/**
 * Returns a secret in the forms that programs write: as it is, by line, quoted as JSON, URL-encoded, in
 * base64.
 */
function secretFormsOf(secret: string): string[] {
  const lines = secret.includes('\n')
    ? secret
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line.length >= minSecretLineLength)
    : [];
  const quoted = JSON.stringify(secret.toWellFormed()).slice(1, -1);
  const urlEncoded = encodeURIComponent(secret.toWellFormed());
  return [
    secret,
    ...lines,
    quoted,
    JSON.stringify(quoted).slice(1, -1),
    urlEncoded,
    urlEncoded.replaceAll('%20', '+'),
    ...base64Forms(secret),
  ];
}

/**
 * Returns the base64 characters that depend on a secret alone, for each of its three alignments in an encoded
 * text (such as `user:secret` in a header).
 */
function base64Forms(secret: string): string[] {
  const bytes = Buffer.from(secret, 'utf8');
  return [0, 1, 2].flatMap((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replaceAll('=', '');
    const inner = text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
    return inner.length < minSecretLineLength ? [] : [inner, inner.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

function splitForm(form: Buffer): Buffer[] {
  if (form.length <= formPieceBytes) return [form];
  const found = [];
  // The last piece has full length, so that no piece is too short to be masked.
  for (let at = 0; at < form.length; at += formPieceBytes)
    found.push(
      form.subarray(Math.min(at, form.length - formPieceBytes), Math.min(at + formPieceBytes, form.length)),
    );
  return found;
}

/** Returns the positions of secrets in order; adjacent ones are merged. */
export function findSecrets({ forms }: Mask, bytes: Buffer): Span[] {
  const found: Span[] = [];
  for (const form of forms) {
    for (let at = bytes.indexOf(form); at !== -1; at = bytes.indexOf(form, at + 1))
      found.push({ start: at, end: at + form.length });
  }
  return mergeSpans(found);
}

function mergeSpans(spans: readonly Span[]): Span[] {
  const together: Span[] = [];
  for (const span of spans.toSorted((one, other) => one.start - other.start)) {
    const last = together.at(-1);
    if (last === undefined || span.start > last.end) together.push(span);
    else together[together.length - 1] = { start: last.start, end: Math.max(last.end, span.end) };
  }
  return together;
}

/** Returns the number of last bytes that may be the start of a secret. */
export function partialSecretLengthAtEnd({ forms, longest }: Mask, bytes: Buffer): number {
  for (let length = Math.min(longest - 1, bytes.length); length > 0; length -= 1) {
    const end = bytes.subarray(bytes.length - length);
    if (
      forms.some((form) => form.length > length && form[0] === end[0] && form.subarray(0, length).equals(end))
    )
      return length;
  }
  return 0;
}

/** Returns the number of first bytes that may be the end of a secret. */
export function partialSecretLengthAtStart({ forms, longest }: Mask, bytes: Buffer): number {
  for (let length = Math.min(longest - 1, bytes.length); length >= minSecretLength; length -= 1) {
    const start = bytes.subarray(0, length);
    if (forms.some((form) => form.length > length && form.subarray(form.length - length).equals(start)))
      return length;
  }
  return 0;
}

/** Masks the secrets in a text. */
export function maskText(mask: Mask, text: string): string {
  if (mask.longest === 0 || text === '') return text;
  const bytes = Buffer.from(text, 'utf8');
  const spans = findSecrets(mask, bytes);
  if (spans.length === 0) return text;
  let at = 0;
  let shown = '';
  for (const { start, end } of spans) {
    shown += `${bytes.toString('utf8', at, start)}${maskPlaceholder}`;
    at = end;
  }
  return shown + bytes.toString('utf8', at);
}

/** Masks the secrets in all texts of a document. */
export function maskTexts<Value>(mask: Mask, value: Value): Value {
  // The walk keeps the shape: texts stay texts.
  return mask.longest === 0 ? value : (mapEachText(value, (text) => maskText(mask, text)) as Value);
}

function mapEachText(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((one: unknown) => mapEachText(one, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, mapEachText(one, change)]));
}

/** Fields whose names look like those of secrets. */
const nonSecretNames: ReadonlySet<string> = new Set(['task_key', 'job_cluster_key']);

/** Masks the secret fields of settings, also short ones, and the secrets in all texts. */
export function maskSecretFields(mask: Mask, value: unknown): unknown {
  if (typeof value === 'string') return maskText(mask, value);
  if (Array.isArray(value)) return value.map((one: unknown) => maskSecretFields(mask, one));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]: [string, unknown]) => [
      name,
      isSecretName(name) && !nonSecretNames.has(name) && typeof one === 'string' && one !== ''
        ? maskPlaceholder
        : maskSecretFields(mask, one),
    ]),
  );
}
