/** Audit log: the caller, action, result and changed fields of operations, without secrets. */
import { isRecord, type JsonObject } from '../validation/json-object.ts';
import { isSecretName } from '../validation/secret-names.ts';
import { fixedLimits } from '../limits.ts';

/** Entry of the audit log. */
export interface AuditEvent {
  /** Epoch ms. */
  readonly time: number;
  readonly userName: string;
  /** Id of the token, never its value. */
  readonly tokenId: string;
  readonly sourceIp: string;
  /** Method and path of the operation, e.g. `POST /jobs/create`. */
  readonly action: string;
  /** Object of the action, e.g. `job_id=7`; empty when the request names none. */
  readonly resource: string;
  /** HTTP status of the response. */
  readonly status: number;
  /** Changed fields before and after the action; undefined when no document was changed. */
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
  /** Cursor: restricts the list to events before this one. */
  readonly before: number | undefined;
  readonly limit: number;
}

const masked = '***';

/** Returns the top-level fields that differ between two documents, with secrets masked. */
export function diffFields(
  before: object,
  after: object,
): { readonly before: JsonObject; readonly after: JsonObject } {
  const [one, other] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  const names = [...new Set([...one.keys(), ...other.keys()])].filter(
    (name) => JSON.stringify(one.get(name)) !== JSON.stringify(other.get(name)),
  );
  const pick = (fields: ReadonlyMap<string, unknown>): JsonObject =>
    Object.fromEntries(names.filter((name) => fields.has(name)).map((name) => [name, fields.get(name)]));
  return { before: maskAndTruncate(pick(one)), after: maskAndTruncate(pick(other)) };
}

/** Masks secrets, and replaces oversized documents by the names of their fields. */
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
  'file_path',
  'directory_path',
  'application_id',
  'user_name',
  'userName',
  'destination_id',
  'display_name',
  'pipeline_id',
  'update_id',
  'cluster_id',
] as const;

/**
 * Returns the object of an action, from the identifying fields of request and response. The response to the
 * creation of a token has them in `token_info`.
 */
export function resourceOf(input: object, response: object): string {
  const created: unknown = 'token_info' in response ? response.token_info : undefined;
  const tokenId = isRecord(created) ? Object.entries(created).filter(([name]) => name === 'token_id') : [];
  const fields = new Map<string, unknown>([
    ...tokenId,
    ...Object.entries(response),
    ...Object.entries(input),
  ]);
  return resourceFields
    .flatMap((name) => {
      const value = fields.get(name);
      return typeof value === 'string' || typeof value === 'number'
        ? [`${name}=${String(value).slice(0, 200)}`]
        : [];
    })
    .join(' ');
}
