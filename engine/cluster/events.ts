/** Events of clusters, as clusters/events lists them. */
import { storageDownEvent } from '../validation/aliases.ts';
import type { Termination } from './termination.ts';

/** Types of the events that clusters record. */
const recordedEventTypes = [
  'CREATING',
  'STARTING',
  'RESTARTING',
  'RUNNING',
  'RESIZING',
  'UPSIZE_COMPLETED',
  'TERMINATING',
  'EDITED',
  'PINNED',
  'UNPINNED',
  'INIT_SCRIPTS_STARTED',
  'INIT_SCRIPTS_FINISHED',
  'NODES_LOST',
] as const;
export type ClusterEventType = (typeof recordedEventTypes)[number];

/** Types that clients may filter by; no cluster records the ones after the recorded types. */
export const clusterEventTypes = [
  ...recordedEventTypes,
  'ADD_NODES_FAILED',
  'AUTOMATIC_CLUSTER_UPDATE',
  'AUTOSCALING_BACKOFF',
  'AUTOSCALING_FAILED',
  'AUTOSCALING_STATS_REPORT',
  'CLUSTER_MIGRATED',
  storageDownEvent,
  'DECOMMISSION_ENDED',
  'DECOMMISSION_STARTED',
  'DID_NOT_EXPAND_DISK',
  'DRIVER_HEALTHY',
  'DRIVER_NOT_RESPONDING',
  'DRIVER_UNAVAILABLE',
  'EXPANDED_DISK',
  'FAILED_TO_EXPAND_DISK',
  'METASTORE_DOWN',
  'NODE_BLACKLISTED',
  'NODE_EXCLUDED_DECOMMISSIONED',
  'SPARK_EXCEPTION',
] as const;
export type ClusterEventFilterType = (typeof clusterEventTypes)[number];

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
