/** Sizes of nodes by node type: what `node_type_id` stands for. Any id is accepted; these are the ones whose size is known. */

/** The size of a node of one type. */
export interface NodeType {
  readonly nodeTypeId: string;
  /** Memory in MB (2^20 bytes). A process of a task on such a node may have as much data as this. */
  readonly memoryMb: number;
  readonly cores: number;
  readonly category: string;
  readonly description: string;
}

type Row = readonly [nodeTypeId: string, memoryMb: number, cores: number, category: string];

const rows: readonly Row[] = [
  ['standard-2', 8_192, 2, 'General purpose'],
  ['standard-4', 16_384, 4, 'General purpose'],
  ['standard-8', 32_768, 8, 'General purpose'],
  ['standard-16', 65_536, 16, 'General purpose'],
  ['highmem-2', 16_384, 2, 'Memory optimized'],
  ['highmem-4', 32_768, 4, 'Memory optimized'],
  ['highmem-8', 65_536, 8, 'Memory optimized'],
  ['highcpu-2', 2_048, 2, 'Compute optimized'],
  ['highcpu-4', 4_096, 4, 'Compute optimized'],
  ['highcpu-8', 8_192, 8, 'Compute optimized'],
];

/** Every known node type, by its id, in the order in which lists show them. */
export const nodeTypes: ReadonlyMap<string, NodeType> = new Map(rows.map(([nodeTypeId, memoryMb, cores, category]) => [
  nodeTypeId, { nodeTypeId, memoryMb, cores, category, description: `${cores} cores, ${memoryMb / 1_024} GB of memory` },
]));

/** The node type of an id; undefined for one whose size is not known, and for none. */
export function nodeTypeOf(nodeTypeId: string | undefined): NodeType | undefined {
  return nodeTypeId === undefined ? undefined : nodeTypes.get(nodeTypeId);
}
