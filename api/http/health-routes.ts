/** Liveness and readiness endpoints for supervisors and load balancers; they need no token. */
import type { FastifyInstance } from 'fastify';

export interface Readiness {
  readonly ready: boolean;
  /** Human-readable reason when the service is not ready. */
  readonly reason?: string;
}

/** Adds `/healthz` (200 while the process answers) and `/readyz` (200, or 503 with the reason). */
export function addHealthRoutes(app: FastifyInstance, ready: () => Promise<Readiness>): void {
  // Some load balancers send HEAD.
  const open = { config: { open: true }, exposeHeadRoute: true };
  app.get('/healthz', open, async () => ({ status: 'ok' }));
  app.get('/readyz', open, async (_request, reply) => {
    const { ready: isReady, reason = 'The service is not ready to accept runs.' } = await ready();
    if (isReady) return { status: 'ready' };
    reply.code(503);
    return { status: 'not ready', reason };
  });
}
