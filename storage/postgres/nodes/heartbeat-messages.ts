/** What the engine and the thread that keeps its lease say to each other. */
import type { DatabaseAddress } from '../database.ts';

export interface HeartbeatOptions {
  readonly address: DatabaseAddress;
  readonly nodeId: string;
  readonly leaseMs: number;
}

export type HeartbeatCommand = 'alive' | 'end';

export type HeartbeatEvent =
  /** The lease had ended before it was renewed, or nobody knows the node any more. */
  | { readonly type: 'lost' }
  | { readonly type: 'failing'; readonly message: string }
  | { readonly type: 'back' };
