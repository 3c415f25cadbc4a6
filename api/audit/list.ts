/** GET audit. */
import { fixedLimits } from '../../engine/limits.ts';
import { Type } from 'typebox';
import { epochMillis } from '../../engine/validation/scalars.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import { buildPage, parsePageRequest } from '../http/paging.ts';
import type { OperationPorts } from '../http/ports.ts';
import { epochMsSchema } from '../views/time-schemas.ts';
import type { StoredAuditEvent } from '../../engine/token/audit.ts';

const pagingRules = { defaultSize: 100, maximumSize: fixedLimits.auditEventsPerPage, cursorLength: 1 };

const AuditEventDocument = Type.Object(
  {
    event_id: Type.Integer({ description: 'Id of the entry; ids increase.' }),
    time: epochMsSchema('Time of the response'),
    user_name: Type.String({ description: 'Name of the caller.' }),
    token_id: Type.String({ description: 'Id of the token; the log never contains token values.' }),
    source_ip: Type.String({ description: 'Address of the caller.' }),
    action: Type.String({ description: 'Operation, e.g. POST /jobs/create.' }),
    resource: Type.String({ description: 'Affected object, e.g. job_id=7.' }),
    status: Type.Integer({ description: 'HTTP status of the response; refused calls are recorded, too.' }),
    before: Type.Optional(
      Type.Unknown({ description: 'Changed fields before the call; secrets are masked.' }),
    ),
    after: Type.Optional(Type.Unknown({ description: 'Changed fields after the call; secrets are masked.' })),
  },
  { description: 'Entry of the audit log.' },
);

const request = Type.Object({
  user_name: Type.Optional(Type.String({ description: 'Only calls of this user.' })),
  action: Type.Optional(
    Type.String({ description: 'Only calls of this operation, e.g. POST /jobs/create.' }),
  ),
  start_time: Type.Optional(epochMillis('Only calls at or after this time, epoch milliseconds.')),
  end_time: Type.Optional(epochMillis('Only calls at or before this time, epoch milliseconds.')),
  limit: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Entries per page. Default: 100; 0 means the maximum, 1000.' }),
  ),
  page_token: Type.Optional(Type.String({ description: 'The next_page_token of the previous page.' })),
});

/**
 * Lists entries of the audit log, newest first.
 * @throws ServiceError PERMISSION_DENIED for callers other than administrators; an invalid limit or
 * page_token
 */
export function listAuditOperation({ auditEvents }: Pick<OperationPorts, 'auditEvents'>): Operation {
  return defineOperation({
    method: 'GET',
    path: '/audit',
    versions: ['2.0'],
    scope: 'audit',
    adminsOnly: true,
    summary: 'Read the audit log',
    description:
      'Lists all calls that change something, newest first: caller, time, address, token, and the changed settings before and after. Entries are kept for 400 days.',
    request,
    response: Type.Object({
      events: Type.Array(AuditEventDocument, { description: 'One page of entries.' }),
      has_more: Type.Boolean({ description: 'Whether another page follows.' }),
      next_page_token: Type.Optional(Type.String({ description: 'The page_token of the next page.' })),
    }),
    async handle(input) {
      const { size, cursor } = parsePageRequest('audit', input, pagingRules);
      const found = await auditEvents({
        userName: input.user_name,
        action: input.action,
        from: input.start_time,
        to: input.end_time,
        before: cursor?.[0],
        limit: size + 1,
      });
      const { entries, more } = buildPage('audit', found, size, ({ eventId }) => [eventId]);
      return { events: entries.map(toAuditEventView), ...more };
    },
  });
}

function toAuditEventView({
  eventId,
  time,
  userName,
  tokenId,
  sourceIp,
  ...event
}: StoredAuditEvent): object {
  return {
    event_id: eventId,
    time,
    user_name: userName,
    token_id: tokenId,
    source_ip: sourceIp,
    action: event.action,
    resource: event.resource,
    status: event.status,
    before: event.before,
    after: event.after,
  };
}
