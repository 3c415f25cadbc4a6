/** Where the tasks of a run stand when they are drawn, and the lines between them. */
import { graphlib, layout } from '@dagrejs/dagre';

export interface GraphTask {
  readonly task_key: string;
  readonly depends_on?: readonly { readonly task_key: string }[];
}

export interface Box {
  readonly key: string;
  /** Of the upper left corner, in pixels. */
  readonly x: number;
  readonly y: number;
}

export interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly Box[];
  /** Paths as SVG has them. */
  readonly lines: readonly { readonly from: string; readonly to: string; readonly path: string }[];
}

export const boxWidth = 208;
export const boxHeight = 64;

/** Draws from left to right, or from top to bottom. Dependencies on tasks that are not among them are left out. */
export function drawingOf(tasks: readonly GraphTask[], direction: 'LR' | 'TB'): Drawing {
  const graph = new graphlib.Graph();
  graph.setGraph({ rankdir: direction, nodesep: 20, ranksep: direction === 'LR' ? 56 : 36, marginx: 8, marginy: 8 });
  graph.setDefaultEdgeLabel(() => ({}));
  const keys = new Set(tasks.map((task) => task.task_key));
  for (const key of keys) graph.setNode(key, { width: boxWidth, height: boxHeight });
  for (const task of tasks) {
    for (const { task_key: before } of task.depends_on ?? []) {
      if (keys.has(before)) graph.setEdge(before, task.task_key);
    }
  }
  layout(graph);
  const { width = 0, height = 0 } = graph.graph();
  return {
    width, height,
    boxes: graph.nodes().map((key) => {
      const { x, y } = graph.node(key);
      return { key, x: x - boxWidth / 2, y: y - boxHeight / 2 };
    }),
    lines: graph.edges().map((edge) => ({ from: edge.v, to: edge.w, path: pathThrough(graph.edge(edge).points) })),
  };
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** A line through points, its corners rounded. */
function pathThrough([first, ...rest]: readonly Point[]): string {
  if (first === undefined) return '';
  const corners = rest.map((point, index) => {
    const next = rest[index + 1];
    if (next === undefined) return `L ${point.x} ${point.y}`;
    return `Q ${point.x} ${point.y} ${(point.x + next.x) / 2} ${(point.y + next.y) / 2}`;
  });
  return `M ${first.x} ${first.y} ${corners.join(' ')}`;
}
