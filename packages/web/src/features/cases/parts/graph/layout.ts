/** Positions and steps of an attack graph. Pure. */
import type { CaseGraph, GraphEdge, GraphNode } from '@parapet/contract/caseGraph.ts';
import { stratify, tree } from 'd3-hierarchy';

/** px. */
export const nodeSize = { width: 216, height: 52 };
const gap = { x: 72, y: 14 };

export interface Position {
  x: number;
  y: number;
  /** Layer, 0 for roots. */
  depth: number;
}

/** Layers from left to right by depth in the graph's tree (Reingold–Tilford); other edges do not move a node. */
export function positionsOf(nodes: readonly Pick<GraphNode, 'id' | 'parent'>[]): Position[] {
  const root = stratify<{ id: string; parent: string }>().parentId(({ parent }) => parent)([
    { id: 'root', parent: '' },
    ...nodes.map(({ id, parent }) => ({ id: `${id}`, parent: parent === null ? 'root' : `${parent}` })),
  ]);
  const laidOut = tree<{ id: string; parent: string }>()
    .nodeSize([nodeSize.height + gap.y, nodeSize.width + gap.x])
    .separation((a, b) => (a.parent === b.parent ? 1 : 1.3))(root);
  const positions = new Map(
    laidOut
      .descendants()
      .map((at) => [at.data.id, { x: (at.depth - 1) * (nodeSize.width + gap.x), y: at.x, depth: at.depth - 1 }]),
  );
  const top = Math.min(...nodes.map(({ id }) => positions.get(`${id}`)!.y));
  return nodes.map(({ id }) => {
    const at = positions.get(`${id}`)!;
    return { ...at, y: at.y - top };
  });
}

/** Node → number of the first step that touches it, from 1; 0 for a node without edges, which is always shown. */
export function firstSteps({ nodes, edges }: Pick<CaseGraph, 'nodes' | 'edges'>): number[] {
  const steps = nodes.map(() => 0);
  for (const [index, { from, to }] of edges.entries()) for (const id of [from, to]) steps[id] ||= index + 1;
  return steps;
}

/** Edge that the tree is made of, which leads to each node. */
export function treeEdges({ nodes, edges }: Pick<CaseGraph, 'nodes' | 'edges'>): Map<number, GraphEdge> {
  const found = new Map<number, GraphEdge>();
  for (const edge of edges) {
    const known = found.get(edge.to);
    if (nodes[edge.to]?.parent === edge.from && (!known || edge.action === 'started')) found.set(edge.to, edge);
  }
  return found;
}

export type Direction = 'ArrowLeft' | 'ArrowRight' | 'ArrowUp' | 'ArrowDown' | 'Home' | 'End';
export const isDirection = (key: string): key is Direction =>
  ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End'].includes(key);

/** Node that a key leads to: left to the parent, right to the first child, up and down within the layer, Home and End in time. */
export function nodeTowards(
  nodes: readonly Pick<GraphNode, 'id' | 'parent'>[],
  positions: readonly Position[],
  from: number,
  key: Direction,
): number {
  if (key === 'Home') return 0;
  if (key === 'End') return nodes.length - 1;
  if (key === 'ArrowLeft') return nodes[from]?.parent ?? from;
  const { y, depth } = positions[from]!;
  const candidates = nodes
    .map(({ id, parent }) => ({ id, parent, at: positions[id]! }))
    .filter(({ id, parent, at }) =>
      key === 'ArrowRight' ? parent === from : id !== from && at.depth === depth && (key === 'ArrowUp' ? at.y < y : at.y > y),
    )
    .sort((a, b) => (key === 'ArrowUp' ? b.at.y - a.at.y : a.at.y - b.at.y));
  return candidates[0]?.id ?? from;
}
