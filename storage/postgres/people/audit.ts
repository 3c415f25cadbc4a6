/** The stored audit log. Entries are only added, and removed after the retention period. */
import type { Kysely } from 'kysely';
import type { AuditEvent, AuditFilter, StoredAuditEvent } from '../../../engine/token/audit.ts';
import type { Database } from '../schema.ts';
import { toStorableJson, toStorableText } from '../storable-text.ts';

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
        resource: toStorableText(event.resource),
        status: event.status,
        before: event.before === undefined ? null : toStorableJson(event.before),
        after: event.after === undefined ? null : toStorableJson(event.after),
      })),
    )
    .execute();
}

/** Lists audit events, newest first. */
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

/** Removes the events before `before` (epoch ms), in batches that do not block other transactions. */
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
