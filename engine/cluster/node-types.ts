/** Known node types and their sizes. Other names are accepted, but their size is unknown. */

export interface NodeType {
  readonly memory_mb: number;
  readonly num_cores: number;
  readonly category: string;
  readonly description: string;
  /** Spark master of its clusters, or `none`. */
  readonly spark_master?: string;
  /** Default: 0. */
  readonly num_gpus?: number;
  /** Default: 1, the disk of this machine. */
  readonly local_disks?: number;
  /** Size of each local disk; default: 32 GB per core. It is shown, and limits nothing. */
  readonly local_disk_size_gb?: number;
}

const gigabyteMb = 1_024;
const diskGigabytesPerCore = 32;

/** Local disks of a node type, with their defaults. */
export function localDisksOf({
  num_cores: cores,
  local_disks: disks = 1,
  local_disk_size_gb: size = Math.max(1, Math.round(cores * diskGigabytesPerCore)),
}: NodeType): { readonly local_disks: number; readonly local_disk_size_gb: number } {
  return { local_disks: disks, local_disk_size_gb: disks === 0 ? 0 : size };
}

function createNodeType(category: string, cores: number, gigabytes: number): NodeType {
  return {
    memory_mb: gigabytes * gigabyteMb,
    num_cores: cores,
    category,
    description: `${cores} cores, ${gigabytes} GB`,
  };
}

/** node_type_id -> size. */
export const nodeTypes: Readonly<Record<string, NodeType>> = {
  'standard-2': createNodeType('General Purpose', 2, 8),
  'standard-4': createNodeType('General Purpose', 4, 16),
  'standard-8': createNodeType('General Purpose', 8, 32),
  'standard-16': createNodeType('General Purpose', 16, 64),
  'memory-4': createNodeType('Memory Optimized', 4, 32),
  'memory-8': createNodeType('Memory Optimized', 8, 64),
  'memory-16': createNodeType('Memory Optimized', 16, 128),
  'compute-4': createNodeType('Compute Optimized', 4, 8),
  'compute-8': createNodeType('Compute Optimized', 8, 16),
  'compute-16': createNodeType('Compute Optimized', 16, 32),
};

/**
 * Returns the known node type with the least memory above that of `type`, of the same category where there is
 * one; undefined for the largest.
 */
export function findLargerNodeType(
  { memory_mb: memory, category }: NodeType,
  known: Readonly<Record<string, NodeType>>,
): string | undefined {
  const larger = Object.entries(known)
    .filter(([, type]) => type.memory_mb > memory)
    .toSorted(([, one], [, other]) => one.memory_mb - other.memory_mb);
  return (larger.find(([, type]) => type.category === category) ?? larger[0])?.[0];
}

/** Returns the size of a node type, if it is known. @param known node types, including configured ones */
export function nodeTypeOf(nodeTypeId: string | undefined, known = nodeTypes): NodeType | undefined {
  return nodeTypeId === undefined || !Object.hasOwn(known, nodeTypeId) ? undefined : known[nodeTypeId];
}
