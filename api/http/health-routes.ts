/**
 * Whether the service lives, and whether it can take runs: for supervisors and load balancers, without a
 * token.
 */
import type { FastifyInstance } from 'fastify';

export interface Readiness {
  readonly ready: boolean;
  /** Why not, fit for people. */
  readonly reason?: string;
}

/** Adds `/healthz` (200 as long as the process answers) and `/readyz` (200, or 503 with the reason). */
export function addHealthRoutes(app: FastifyInstance, ready: () => Promise<Readiness>): void {
  // Load balancers ask with HEAD, too.
  const open = { config: { open: true }, exposeHeadRoute: true };
  app.get('/healthz', open, async () => ({ status: 'ok' }));
  app.get('/readyz', open, async (_request, reply) => {
    const { ready: isReady, reason = 'The service is not ready to take runs.' } = await ready();
    if (isReady) return { status: 'ready' };
    reply.code(503);
    return { status: 'not ready', reason };
  });
}
