/** Layout of the task graph: positions of tasks and paths of edges. */
import { graphlib, layout } from '@dagrejs/dagre';

export interface GraphTask {
  readonly task_key: string;
  readonly depends_on?: readonly { readonly task_key: string }[];
}

export interface TaskBoxPosition {
  readonly key: string;
  /** Upper left corner, in pixels. */
  readonly x: number;
  readonly y: number;
}

export interface GraphLayout {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly TaskBoxPosition[];
  /** SVG paths. */
  readonly edges: readonly { readonly from: string; readonly to: string; readonly path: string }[];
}

export const boxWidth = 208;
export const boxHeight = 64;

/** Lays out the graph from left to right or from top to bottom. Ignores dependencies on unknown tasks. */
export function layoutGraph(tasks: readonly GraphTask[], direction: 'LR' | 'TB'): GraphLayout {
  const graph = new graphlib.Graph();
  graph.setGraph({
    rankdir: direction,
    nodesep: 20,
    ranksep: direction === 'LR' ? 56 : 36,
    marginx: 8,
    marginy: 8,
  });
  graph.setDefaultEdgeLabel(() => ({}));
  // Nodes have numeric names: the library stores them as object properties, and a task key may be the name of
  // an inherited property.
  const numbers = new Map(tasks.map(({ task_key: key }, index) => [key, String(index)]));
  for (const number of numbers.values()) graph.setNode(number, { width: boxWidth, height: boxHeight });
  const edges = tasks.flatMap(({ task_key: to, depends_on: before = [] }) =>
    before.map(({ task_key: from }) => ({ from, to })).filter(({ from }) => numbers.has(from)),
  );
  for (const { from, to } of edges) graph.setEdge(numberOf(from), numberOf(to));
  layout(graph);
  const { width = 0, height = 0 } = graph.graph();
  return {
    width,
    height,
    boxes: [...numbers].map(([key, number]) => {
      const { x, y } = graph.node(number);
      return { key, x: x - boxWidth / 2, y: y - boxHeight / 2 };
    }),
    edges: edges.map(({ from, to }) => ({
      from,
      to,
      path: createPath(graph.edge(numberOf(from), numberOf(to)).points),
    })),
  };

  function numberOf(key: string): string {
    return numbers.get(key) ?? '';
  }
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** Creates a path through points with rounded corners. */
function createPath([first, ...rest]: readonly Point[]): string {
  if (first === undefined) return '';
  const corners = rest.map((point, index) => {
    const next = rest[index + 1];
    if (next === undefined) return `L ${point.x} ${point.y}`;
    return `Q ${point.x} ${point.y} ${(point.x + next.x) / 2} ${(point.y + next.y) / 2}`;
  });
  return `M ${first.x} ${first.y} ${corners.join(' ')}`;
}
