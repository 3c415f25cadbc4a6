/** GET audit. */
import { Type } from 'typebox';
import { epochMillis } from '../../engine/validation/scalars.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import { buildPage, parsePageRequest } from '../http/paging.ts';
import type { OperationPorts } from '../http/ports.ts';
import { epochMsSchema } from '../views/time-schemas.ts';

const pagingRules = { defaultSize: 100, maximumSize: 1_000, cursorLength: 1 };

const AuditEventDocument = Type.Object(
  {
    event_id: Type.Integer({ description: 'Grows from entry to entry.' }),
    time: epochMsSchema('When it was answered'),
    user_name: Type.String({ description: 'Who called.' }),
    token_id: Type.String({ description: 'With which token; its value is kept nowhere.' }),
    source_ip: Type.String({ description: 'From where.' }),
    action: Type.String({ description: 'The operation, e.g. POST /jobs/create.' }),
    resource: Type.String({ description: 'What it was about, e.g. job_id=7.' }),
    status: Type.Integer({ description: 'HTTP status of the answer: refused calls are kept, too.' }),
    before: Type.Optional(
      Type.Unknown({ description: 'The fields that were changed, as they were; secrets are masked.' }),
    ),
    after: Type.Optional(Type.Unknown({ description: 'The same as they are.' })),
  },
  { description: 'An entry.' },
);

/** Lists entries of the audit log, newest first. */
export function listAuditOperation({ auditEvents }: Pick<OperationPorts, 'auditEvents'>): Operation {
  return defineOperation({
    method: 'GET',
    path: '/audit',
    versions: ['2.0'],
    scope: 'audit',
    adminsOnly: true,
    summary: 'Read the audit log',
    description:
      'Every call of an operation that changes something, newest first: who, when, from where, with which token, and what settings were before and after. Kept for 400 days.',
    request: Type.Object({
      user_name: Type.Optional(Type.String({ description: 'Only calls of this user.' })),
      action: Type.Optional(
        Type.String({ description: 'Only calls of this operation, e.g. POST /jobs/create.' }),
      ),
      start_time: Type.Optional(epochMillis('Only calls from then on, epoch milliseconds.')),
      end_time: Type.Optional(epochMillis('Only calls until then, epoch milliseconds.')),
      limit: Type.Optional(
        Type.Integer({
          minimum: 0,
          description: 'Entries of a page: 100 unless said, at most 1,000 (0 stands for that).',
        }),
      ),
      page_token: Type.Optional(Type.String({ description: 'next_page_token of the page before.' })),
    }),
    response: Type.Object({
      events: Type.Array(AuditEventDocument, { description: 'The entries.' }),
      has_more: Type.Boolean({ description: 'Whether there are older ones.' }),
      next_page_token: Type.Optional(Type.String({ description: 'Names the next page.' })),
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
      return {
        events: entries.map(
          ({ eventId, time, userName, tokenId, sourceIp, action, resource, status, before: was, after }) => ({
            event_id: eventId,
            time,
            user_name: userName,
            token_id: tokenId,
            source_ip: sourceIp,
            action,
            resource,
            status,
            before: was,
            after,
          }),
        ),
        ...more,
      };
    },
  });
}
