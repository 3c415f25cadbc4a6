/**
 * What time does to tokens: nobody uses them, or they were observed for long enough. Each call does what is
 * due at `now`.
 */
import { sql, type Kysely, type Selectable, type Transaction } from 'kysely';
import { decideAutoscope, enforcementTimeOf, type ObservedToken } from '../../../engine/token/autoscope.ts';
import { allApisScope } from '../../../engine/token/scopes.ts';
import { emailAddressOf } from '../../../engine/token/person.ts';
import type { AuditEvent } from '../../../engine/token/audit.ts';
import { insertAuditEvents } from '../people/audit.ts';
import { insertOutboxEvents } from '../outbox/outbox.ts';
import type { Database, TokenTable } from '../schema.ts';
import { fixedLimits } from '../../../engine/limits.ts';
import { notificationForToken } from '../../../engine/notification/routing.ts';

/** Who the audit log says it was. */
const serviceUser = 'runyard';

function auditEventOf(
  now: number,
  tokenId: string,
  action: string,
  change: Partial<Pick<AuditEvent, 'before' | 'after'>>,
): AuditEvent {
  return {
    time: now,
    userName: serviceUser,
    tokenId,
    sourceIp: '',
    action,
    resource: `token_id=${tokenId}`,
    status: 200,
    before: undefined,
    after: undefined,
    ...change,
  };
}

/** Revokes the tokens that nobody has used for 90 days (spec 5.2). @returns how many */
export function revokeUnusedTokens(db: Kysely<Database>, now: number): Promise<number> {
  return db.transaction().execute(async (transaction) => {
    const rows = await transaction
      .updateTable('tokens')
      .set({ revoked_time: now })
      .where('revoked_time', 'is', null)
      .where('created_time', '<=', now - fixedLimits.unusedTokenLifetimeMs)
      .where('last_accessed_time', '<=', now - fixedLimits.unusedTokenLifetimeMs)
      .returning('token_id')
      .execute();
    if (rows.length > 0)
      await insertAuditEvents(
        transaction,
        rows.map((row) => auditEventOf(now, row.token_id, 'revoke unused token', {})),
      );
    return rows.length;
  });
}

/**
 * Begins to observe the all-apis tokens that there are, when administrators want that. A token that ends
 * before it could be observed is left alone, and so is that of the first administrator, which has no end.
 */
export async function startObservingTokens(db: Kysely<Database>, now: number): Promise<void> {
  const wanted = await db
    .selectFrom('workspace_settings')
    .select('value')
    .where('name', '=', 'enableTokenAutoscoping')
    .executeTakeFirst();
  if (wanted?.value !== 'true') return;
  await db
    .updateTable('tokens')
    .set({ autoscope_state: 'RUNNING', autoscope_started_time: now, autoscope_backfilled: true })
    .where('autoscope_state', '=', 'DISABLED')
    .where(sql<boolean>`scopes = array[${allApisScope}]`)
    .where('revoked_time', 'is', null)
    .where('expiry_time', '>=', now + fixedLimits.scopeObservationMs)
    .execute();
}

/** Reminds the owners of observed tokens, and lets the inferred scopes apply, each together with its mail. */
export async function advanceAutoscoping(db: Kysely<Database>, now: number): Promise<void> {
  const due = await observedTokens(db).select('token_id').where('revoked_time', 'is', null).execute();
  for (const { token_id: tokenId } of due)
    await db.transaction().execute((transaction) => advanceToken(transaction, tokenId, now));
}

async function advanceToken(transaction: Transaction<Database>, tokenId: string, now: number): Promise<void> {
  const row = await observedTokens(transaction)
    .selectAll()
    .where('token_id', '=', tokenId)
    .where('revoked_time', 'is', null)
    .forUpdate()
    .executeTakeFirst();
  if (row === undefined || (row.expiry_time !== null && row.expiry_time <= now)) return;
  const token: ObservedToken = {
    startedTime: row.autoscope_started_time ?? row.created_time,
    remindedTime: row.autoscope_reminded_time ?? undefined,
    inferredScopes: row.inferred_scopes,
  };
  const decision = decideAutoscope(token, now);
  if (decision === 'nothing') return;
  const change =
    decision === 'remind'
      ? { autoscope_reminded_time: now }
      : {
          scopes: row.inferred_scopes,
          autoscope_state: row.autoscope_backfilled ? ('BACKFILLED' as const) : ('COMPLETED' as const),
        };
  await transaction.updateTable('tokens').set(change).where('token_id', '=', tokenId).execute();
  if (decision === 'enforce') {
    await insertAuditEvents(transaction, [
      auditEventOf(now, tokenId, 'enforce inferred scopes', {
        before: { scopes: row.scopes },
        after: { scopes: row.inferred_scopes },
      }),
    ]);
  }
  await notifyOwner(
    transaction,
    row,
    decision,
    decision === 'enforce' ? now : enforcementTimeOf({ ...token, remindedTime: now }),
    now,
  );
}

/** Mail goes to the owner; a service principal has no address, so to whoever made its token. */
async function notifyOwner(
  transaction: Transaction<Database>,
  row: Selectable<TokenTable>,
  decision: 'remind' | 'enforce',
  at: number,
  now: number,
): Promise<void> {
  const people = await transaction
    .selectFrom('principals')
    .select(['principal_id', 'user_name', 'email'])
    .where('principal_id', 'in', [row.principal_id, ...(row.created_by === null ? [] : [row.created_by])])
    .execute();
  const owner = people.find((person) => person.principal_id === row.principal_id);
  const recipient = [owner, ...people.filter((person) => person !== owner)]
    .map((person) =>
      person === undefined
        ? undefined
        : emailAddressOf({ email: person.email ?? undefined, userName: person.user_name }),
    )
    .find((address) => address !== undefined);
  if (recipient === undefined) return;
  const event = decision === 'remind' ? 'token_scopes_reminder' : 'token_scopes_enforced';
  const token = {
    tokenId: row.token_id,
    comment: row.comment,
    scopes: row.inferred_scopes,
    enforcementTime: at,
  };
  await insertOutboxEvents(transaction, [notificationForToken(event, recipient, token, now)]);
}

function observedTokens(db: Kysely<Database>) {
  return db.selectFrom('tokens').where('autoscope_state', '=', 'RUNNING');
}
