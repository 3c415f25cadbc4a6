/**
 * The audit log: who did what, when, from where and with which token; and what a change of settings was,
 * without secrets.
 */
import type { JsonObject } from '../validation/json-object.ts';
import { isSecretName } from '../validation/secret-names.ts';
import { fixedLimits } from '../limits.ts';

/** One entry. */
export interface AuditEvent {
  /** Epoch ms. */
  readonly time: number;
  readonly userName: string;
  /** Id of the token, never its value. */
  readonly tokenId: string;
  readonly sourceIp: string;
  /** Method and path of the operation, e.g. `POST /jobs/create`. */
  readonly action: string;
  /** What it was done to, e.g. `job_id=7`; empty when the call names nothing. */
  readonly resource: string;
  /** HTTP status of the answer. */
  readonly status: number;
  /**
   * Fields that changed, as they were and as they are; undefined when nothing that has fields was changed.
   */
  readonly before: JsonObject | undefined;
  readonly after: JsonObject | undefined;
}

export interface StoredAuditEvent extends AuditEvent {
  readonly eventId: number;
}

export interface AuditFilter {
  readonly userName: string | undefined;
  readonly action: string | undefined;
  /** Epoch ms, both inclusive. */
  readonly from: number | undefined;
  readonly to: number | undefined;
  /** Only events before this one. */
  readonly before: number | undefined;
  readonly limit: number;
}

const masked = '***';

/** The top-level fields that two documents do not share, with the values of secret fields masked. */
export function diffFields(
  before: object,
  after: object,
): { readonly before: JsonObject; readonly after: JsonObject } {
  const [one, other] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  const names = [...new Set([...one.keys(), ...other.keys()])].filter(
    (name) => JSON.stringify(one.get(name)) !== JSON.stringify(other.get(name)),
  );
  const part = (of: ReadonlyMap<string, unknown>): JsonObject =>
    Object.fromEntries(names.filter((name) => of.has(name)).map((name) => [name, of.get(name)]));
  return { before: maskAndTruncate(part(one)), after: maskAndTruncate(part(other)) };
}

/** Secrets are masked; what is too long is cut to the names of its fields. */
function maskAndTruncate(fields: JsonObject): JsonObject {
  const text = JSON.stringify(fields, (name, value: unknown) =>
    typeof value === 'string' && isSecretName(name) ? masked : value,
  );
  return text.length <= fixedLimits.auditDocumentCharacters
    ? JSON.parse(text)
    : { too_long: true, fields: Object.keys(fields) };
}

const resourceFields = [
  'job_id',
  'run_id',
  'token_id',
  'id',
  'path',
  'application_id',
  'user_name',
  'userName',
  'destination_id',
  'display_name',
  'pipeline_id',
  'update_id',
  'cluster_id',
] as const;

/** What a call was about, from the fields of its input and of its answer that name something. */
export function resourceOf(input: object, answer: object): string {
  const fields = new Map<string, unknown>([...Object.entries(answer), ...Object.entries(input)]);
  return resourceFields
    .flatMap((name) => {
      const value = fields.get(name);
      return typeof value === 'string' || typeof value === 'number'
        ? [`${name}=${String(value).slice(0, 200)}`]
        : [];
    })
    .join(' ');
}
