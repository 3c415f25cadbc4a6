/** Events of clusters, as clusters/events lists them. */
import type { Termination } from './termination.ts';

export const clusterEventTypes = [
  'CREATING',
  'STARTING',
  'RUNNING',
  'RESIZING',
  'UPSIZE_COMPLETED',
  'TERMINATING',
  'INIT_SCRIPTS_STARTED',
  'INIT_SCRIPTS_FINISHED',
  'NODES_LOST',
] as const;
export type ClusterEventType = (typeof clusterEventTypes)[number];

export interface ClusterEventDetails {
  readonly current_num_workers?: number;
  readonly target_num_workers?: number;
  readonly reason?: Termination;
  /** User who requested the change. */
  readonly user?: string;
}

export interface ClusterEvent {
  readonly clusterId: string;
  /** Epoch ms. */
  readonly time: number;
  readonly type: ClusterEventType;
  readonly details: ClusterEventDetails;
}
