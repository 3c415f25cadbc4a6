/**
 * Tickets for Spark's own pages: a browser that follows a link sends no token, so the address itself carries a
 * secret, for one application and a short time. Tickets are valid at the engine that issued them.
 */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../engine/clock.ts';

/** What a ticket opens. */
export interface PageTarget {
  readonly clusterId: string;
  readonly applicationId: string;
}

export interface SparkPageTickets {
  /** Returns a ticket that is valid for at least 30 minutes. */
  issue(target: PageTarget): string;
  /** Returns what a ticket opens; undefined for one that is unknown or expired. */
  resolve(ticket: string): PageTarget | undefined;
}

const validMs = 60 * 60 * 1_000;
const renewBeforeMs = validMs / 2;

export function createSparkPageTickets(clock: Pick<Clock, 'now'>): SparkPageTickets {
  const issued = new Map<string, PageTarget & { readonly expires: number }>();
  return {
    issue({ clusterId, applicationId }) {
      const now = clock.now();
      for (const [ticket, { expires }] of issued) if (expires <= now) issued.delete(ticket);
      const known = [...issued].find(
        ([, one]) =>
          one.clusterId === clusterId &&
          one.applicationId === applicationId &&
          one.expires - now > renewBeforeMs,
      );
      if (known !== undefined) return known[0];
      const ticket = randomBytes(32).toString('base64url');
      issued.set(ticket, { clusterId, applicationId, expires: now + validMs });
      return ticket;
    },
    resolve(ticket) {
      const found = issued.get(ticket);
      return found === undefined || found.expires <= clock.now() ? undefined : found;
    },
  };
}
