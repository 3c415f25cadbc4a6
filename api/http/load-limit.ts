/** Back-pressure: an engine with too many requests under way refuses further ones before its memory grows. */
import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../../engine/errors.ts';
import type { Limits } from '../../engine/limits.ts';

/** Retry-After of a refused request, seconds: the requests under way take less. */
const retryAfterSeconds = 1;

/** Refuses requests beyond the limit with 429. Open routes, such as the health checks, are always answered. */
export function addLoadLimit(
  app: FastifyInstance,
  { requestsUnderWay: maximum }: Pick<Limits, 'requestsUnderWay'>,
): void {
  let underWay = 0;
  app.addHook('onRequest', async (request, reply) => {
    if (request.routeOptions.config.open === true) return;
    if (underWay >= maximum)
      throw new ServiceError(
        'REQUEST_LIMIT_EXCEEDED',
        `The engine is answering ${underWay} requests (limit: ${maximum}). Send the request again.`,
        retryAfterSeconds,
      );
    underWay += 1;
    // Also for a client that disconnects.
    reply.raw.once('close', () => {
      underWay -= 1;
    });
  });
}
