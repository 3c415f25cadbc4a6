/** Audit log: one entry for every call of an operation that changes something, written after its response. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Clock } from '../../engine/clock.ts';
import { diffFields, resourceOf, type AuditEvent } from '../../engine/token/audit.ts';
import type { JsonObject } from '../../engine/validation/json-object.ts';

/** Facts about a call, collected for its audit entry. */
export interface AuditTrail {
  setInput(input: object): void;
  setResponse(response: object): void;
  setChange(before: object, after: object): void;
  /** Returns the fields of the audit entry. */
  toEvent(): Pick<AuditEvent, 'resource' | 'before' | 'after'>;
}

declare module 'fastify' {
  interface FastifyRequest {
    trail: AuditTrail | null;
  }
}

/** Returns the trail of a request; the first call creates it. */
export function auditTrailOf(request: FastifyRequest): AuditTrail {
  request.trail ??= createAuditTrail();
  return request.trail;
}

/**
 * Adds the hook that records audit entries. Refused calls of authenticated callers are recorded, too; failed
 * authentication is in the log of the service. Reads are not recorded.
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
  let [input, response]: [object, object] = [{}, {}];
  let change: { readonly before: JsonObject; readonly after: JsonObject } | undefined;
  return {
    setInput(given) {
      input = given;
    },
    setResponse(given) {
      response = given;
    },
    setChange(before, after) {
      change = diffFields(before, after);
    },
    toEvent: () => ({ resource: resourceOf(input, response), before: change?.before, after: change?.after }),
  };
}
