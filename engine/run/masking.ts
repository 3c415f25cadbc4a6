/** Secrets of a run, and how they are kept out of what is shown of it: logs, output, settings. Pure. */
import { tasksOf } from '../job/job-format.ts';
import { isSecretName } from '../validation/secret-names.ts';
import type { JobSettings } from '../job/settings.ts';

/** What stands in the place of a secret. */
export const maskPlaceholder = '***';

/** The variable of a cluster that names further secret variables, with commas between them. */
export const secretNamesVariable = 'RUNYARD_SECRETS';

/** What is not to be shown of one run. */
export interface Mask {
  /** Each secret in every form in which it is looked for. */
  readonly forms: readonly Buffer[];
  /** Bytes of the longest form; 0 when there is nothing to hide. */
  readonly longest: number;
}

/** A range of bytes, `end` exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A value that is shorter would be found in every other word. */
const minSecretLength = 4;
/** A line of a secret that is shorter says nothing by itself: brackets, padding. */
const minSecretLineLength = 8;
/** Longer secrets are looked for piece by piece. */
const formPieceBytes = 1_024;

const trivialValues: ReadonlySet<string> = new Set(['true', 'false', 'none', 'null', 'undefined', 'default']);

/** Hides nothing. */
export const noMask: Mask = { forms: [], longest: 0 };

/**
 * The mask of everything that a run with these settings does: the secret variables of all its clusters.
 * @param others variables of clusters that it did not make: those that `existingClusterIdsOf` names
 */
export function maskOfSettings(
  settings: JobSettings,
  others: readonly Readonly<Record<string, string>>[] = [],
): Mask {
  const clusters = [...(settings.job_clusters ?? []), ...tasksOf(settings)].map(
    (holder) => holder.new_cluster?.spark_env_vars ?? {},
  );
  return maskOfVariables([...clusters, ...others]);
}

/** The mask of the secrets among the variables of clusters. */
export function maskOfVariables(clusters: readonly Readonly<Record<string, string>>[]): Mask {
  return createMask(clusters.flatMap(secretValues));
}

/** Ids of the clusters that a run uses and did not make. */
export function existingClusterIdsOf(settings: JobSettings): string[] {
  return [...new Set(tasksOf(settings).flatMap((task) => task.existing_cluster_id ?? []))];
}

/** The mask of these secrets. */
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
 * A secret as programs write it: as it is, line by line, as JSON or Python quotes it, in an address, in
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
  const inAddress = encodeURIComponent(secret.toWellFormed());
  return [
    secret,
    ...lines,
    quoted,
    JSON.stringify(quoted).slice(1, -1),
    inAddress,
    inAddress.replaceAll('%20', '+'),
    ...base64Forms(secret),
  ];
}

/**
 * What base64 makes of a secret wherever it stands in what is encoded (`user:secret` in a header): the
 * characters that depend on it alone.
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
  // The last piece is a whole one, so that none is too short to be a secret.
  for (let at = 0; at < form.length; at += formPieceBytes)
    found.push(
      form.subarray(Math.min(at, form.length - formPieceBytes), Math.min(at + formPieceBytes, form.length)),
    );
  return found;
}

/** Where secrets stand in some bytes; in order, none touching another. */
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

/** How many of the last bytes may be the beginning of a secret whose rest is not there yet. */
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

/** How many of the first bytes may be the end of a secret whose beginning was left out. */
export function partialSecretLengthAtStart({ forms, longest }: Mask, bytes: Buffer): number {
  for (let length = Math.min(longest - 1, bytes.length); length >= minSecretLength; length -= 1) {
    const start = bytes.subarray(0, length);
    if (forms.some((form) => form.length > length && form.subarray(form.length - length).equals(start)))
      return length;
  }
  return 0;
}

/** A text without the secrets. */
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

/** A document whose texts are without the secrets; everything else of it stays as it is. */
export function maskTexts<Value>(mask: Mask, value: Value): Value {
  // A walk changes no shape: texts stay texts.
  return mask.longest === 0 ? value : (mapEachText(value, (text) => maskText(mask, text)) as Value);
}

function mapEachText(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((one: unknown) => mapEachText(one, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, mapEachText(one, change)]));
}

/** Names that sound like secrets, and are names themselves. */
const nonSecretNames: ReadonlySet<string> = new Set(['task_key', 'job_cluster_key']);

/** A document of settings whose secret fields are masked, however short they are. */
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
