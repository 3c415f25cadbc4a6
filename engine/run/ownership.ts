/**
 * Result of an operation on a run that this node no longer drives: another node has adopted the run, or this
 * one is closing. The caller stops and writes nothing more; nothing is wrong.
 */
export const ownershipLost = 'ownership lost';
export type OwnershipLost = typeof ownershipLost;
