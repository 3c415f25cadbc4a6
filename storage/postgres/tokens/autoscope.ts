/**
 * Periodic work on tokens: revocation of unused ones, and the steps of autoscoping. Each call does what is
 * due at `now`.
 */
import { sql, type Kysely, type Selectable, type Transaction } from 'kysely';
import { decideAutoscope, enforcementTimeOf, type ObservedToken } from '../../../engine/token/autoscope.ts';
import { notificationForToken } from '../../../engine/notification/routing.ts';
import { fixedLimits } from '../../../engine/limits.ts';
import { allApisScope } from '../../../engine/token/scopes.ts';
import { emailAddressOf } from '../../../engine/token/person.ts';
import type { AuditEvent } from '../../../engine/token/audit.ts';
import { insertAuditEvents } from '../people/audit.ts';
import { insertOutboxEvents } from '../outbox/outbox.ts';
import type { TokenTable } from '../people/people-schema.ts';
import type { Database } from '../schema.ts';

/** User name of the service itself in the audit log. */
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

/** Revokes the tokens that were not used for 90 days (spec 5.2). Returns their number. */
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
 * Starts to observe the existing all-apis tokens when autoscoping is enabled. It skips tokens that expire
 * within the observation period, and tokens without expiry such as the bootstrap token.
 */
export async function startObservingTokens(db: Kysely<Database>, now: number): Promise<void> {
  const setting = await db
    .selectFrom('workspace_settings')
    .select('value')
    .where('name', '=', 'enableTokenAutoscoping')
    .executeTakeFirst();
  if (setting?.value !== 'true') return;
  await db
    .updateTable('tokens')
    .set({ autoscope_state: 'RUNNING', autoscope_started_time: now, autoscope_backfilled: true })
    .where('autoscope_state', '=', 'DISABLED')
    .where(sql<boolean>`scopes = array[${allApisScope}]`)
    .where('revoked_time', 'is', null)
    .where('expiry_time', '>=', now + fixedLimits.scopeObservationMs)
    .execute();
}

/** Sends reminders to the owners of observed tokens, and enforces inferred scopes, each with its e-mail. */
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

/** Notifies the owner by e-mail; a service principal has no address, so the creator of its token gets it. */
async function notifyOwner(
  transaction: Transaction<Database>,
  row: Selectable<TokenTable>,
  decision: 'remind' | 'enforce',
  enforcementTime: number,
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
  await insertOutboxEvents(transaction, [
    notificationForToken(
      decision === 'remind' ? 'token_scopes_reminder' : 'token_scopes_enforced',
      recipient,
      { tokenId: row.token_id, comment: row.comment, scopes: row.inferred_scopes, enforcementTime },
      now,
    ),
  ]);
}

function observedTokens(db: Kysely<Database>) {
  return db.selectFrom('tokens').where('autoscope_state', '=', 'RUNNING');
}
