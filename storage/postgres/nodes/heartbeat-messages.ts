/** Messages between the engine and its heartbeat thread. */
import type { DatabaseAddress } from '../database.ts';

export interface HeartbeatOptions {
  readonly address: DatabaseAddress;
  readonly nodeId: string;
  readonly leaseMs: number;
}

export type HeartbeatCommand = 'alive' | 'end';

export type HeartbeatEvent =
  /** The lease had ended before its renewal, or the row of the node is gone. */
  | { readonly type: 'lost' }
  | { readonly type: 'failing'; readonly message: string }
  | { readonly type: 'back' };
