/**
 * The audit log is written here, in one place: an entry for every call of an operation that changes
 * something, as it was answered.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Clock } from '../../engine/clock.ts';
import { diffFields, resourceOf, type AuditEvent } from '../../engine/token/audit.ts';
import type { JsonObject } from '../../engine/validation/json-object.ts';

/** What is known of a call so far. */
export interface AuditTrail {
  setInput(input: object): void;
  setResponse(answer: object): void;
  setChange(before: object, after: object): void;
  /** The entry that it makes. */
  toEvent(): Pick<AuditEvent, 'resource' | 'before' | 'after'>;
}

declare module 'fastify' {
  interface FastifyRequest {
    trail: AuditTrail | null;
  }
}

/** The trail of a call; begun when it is first asked for. */
export function auditTrailOf(request: FastifyRequest): AuditTrail {
  request.trail ??= createAuditTrail();
  return request.trail;
}

/**
 * Adds the hook that keeps the entries. Refused calls are kept too, once their caller is known; who is not,
 * stands in the log of the service. Reading leaves no entry.
 */
export function addAuditTrail(app: FastifyInstance, record: (event: AuditEvent) => void, clock: Clock): void {
  app.decorateRequest('trail', null);
  app.addHook('onSend', async (request, reply, payload) => {
    const {
      caller,
      routeOptions: {
        config: { action },
      },
    } = request;
    if (action === undefined || caller === null) return payload;
    record({
      time: clock.now(),
      userName: caller.userName,
      tokenId: caller.tokenId,
      sourceIp: request.ip,
      action,
      status: reply.statusCode,
      ...auditTrailOf(request).toEvent(),
    });
    return payload;
  });
}

function createAuditTrail(): AuditTrail {
  let [input, answer]: [object, object] = [{}, {}];
  let change: { readonly before: JsonObject; readonly after: JsonObject } | undefined;
  return {
    setInput(given) {
      input = given;
    },
    setResponse(given) {
      answer = given;
    },
    setChange(before, after) {
      change = diffFields(before, after);
    },
    toEvent: () => ({ resource: resourceOf(input, answer), before: change?.before, after: change?.after }),
  };
}
