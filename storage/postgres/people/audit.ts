/** The audit log as it is stored. It is only added to; what is too old leaves. */
import type { Kysely } from 'kysely';
import type { AuditEvent, AuditFilter, StoredAuditEvent } from '../../../engine/token/audit.ts';
import type { Database } from '../schema.ts';

export async function insertAuditEvents(db: Kysely<Database>, events: readonly AuditEvent[]): Promise<void> {
  await db
    .insertInto('audit_events')
    .values(
      events.map((event) => ({
        time: event.time,
        user_name: event.userName,
        token_id: event.tokenId,
        source_ip: event.sourceIp,
        action: event.action,
        resource: event.resource.replaceAll('\0', '�').toWellFormed(),
        status: event.status,
        before: jsonOf(event.before),
        after: jsonOf(event.after),
      })),
    )
    .execute();
}

/** Newest first. */
export async function listAuditEvents(
  db: Kysely<Database>,
  { userName, action, from, to, before, limit }: AuditFilter,
): Promise<StoredAuditEvent[]> {
  let query = db.selectFrom('audit_events').selectAll().orderBy('event_id', 'desc').limit(limit);
  if (userName !== undefined) query = query.where('user_name', '=', userName);
  if (action !== undefined) query = query.where('action', '=', action);
  if (from !== undefined) query = query.where('time', '>=', from);
  if (to !== undefined) query = query.where('time', '<=', to);
  if (before !== undefined) query = query.where('event_id', '<', before);
  return (await query.execute()).map((row) => ({
    eventId: row.event_id,
    time: row.time,
    userName: row.user_name,
    tokenId: row.token_id,
    sourceIp: row.source_ip,
    action: row.action,
    resource: row.resource,
    status: row.status,
    before: row.before ?? undefined,
    after: row.after ?? undefined,
  }));
}

const batchSize = 5_000;

/** Removes events from before then (epoch ms), in batches that hold up nobody. */
export async function removeOldAuditEvents(db: Kysely<Database>, before: number): Promise<void> {
  for (let removed = BigInt(batchSize); removed === BigInt(batchSize);) {
    const { numDeletedRows } = await db
      .deleteFrom('audit_events')
      .where('event_id', 'in', (old) =>
        old
          .selectFrom('audit_events')
          .select('event_id')
          .where('time', '<', before)
          .orderBy('time')
          .limit(batchSize),
      )
      .executeTakeFirst();
    removed = numDeletedRows;
  }
}

/** PostgreSQL's JSON holds neither a NUL character nor half of a surrogate pair. */
function jsonOf(fields: object | undefined): string | null {
  if (fields === undefined) return null;
  return JSON.stringify(fields)
    .replaceAll('\\u0000', '\\ufffd')
    .replaceAll(/\\ud[89a-f][\da-f]{2}/g, '\\ufffd');
}
