import type { GraphEdge } from '@parapet/contract/caseGraph.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Direction, firstSteps, nodeSize, nodeTowards, positionsOf, treeEdges } from './layout.ts';

const tree = (...parents: (number | null)[]) => parents.map((parent, id) => ({ id, parent }));
const edge = (from: number, to: number, action = 'started') => ({ from, to, action }) as GraphEdge;

describe('positionsOf', () => {
  test('puts children to the right of their parent, in order, without overlap', () => {
    const forest = fc
      .array(fc.nat(), { minLength: 1, maxLength: 120 })
      .map((picks) => tree(...picks.map((pick, index) => (index === 0 || pick % 5 === 0 ? null : pick % index))));
    fc.assert(
      fc.property(forest, (nodes) => {
        const positions = positionsOf(nodes);
        expect(Math.min(...positions.map(({ y }) => y))).toBe(0);
        const layers = Map.groupBy(positions, ({ depth }) => depth);
        for (const layer of layers.values()) {
          const heights = layer.map(({ y }) => y).sort((a, b) => a - b);
          for (let i = 1; i < heights.length; i++) expect(heights[i]! - heights[i - 1]!).toBeGreaterThan(nodeSize.height);
        }
        for (const { id, parent } of nodes) expect(positions[id]!.depth).toBe(parent === null ? 0 : positions[parent]!.depth + 1);
      }),
    );
  });

  test('lays out a chain of 500 and a fan of 500', () => {
    expect(positionsOf(tree(...Array.from({ length: 500 }, (_, i) => (i === 0 ? null : i - 1)))).at(-1)).toMatchObject({
      depth: 499,
    });
    const fan = positionsOf(tree(...Array.from({ length: 500 }, (_, i) => (i === 0 ? null : 0))));
    expect(new Set(fan.map(({ y }) => y)).size).toBeGreaterThanOrEqual(499);
  });
});

test('shows a node from the first step that touches it', () => {
  const nodes = tree(null, 0, 1, null) as never[];
  expect(firstSteps({ nodes, edges: [edge(1, 2), edge(0, 1)] })).toEqual([2, 1, 1, 0]);
});

test('prefers the start of a process as the edge of its tree', () => {
  const nodes = tree(null, 0) as never[];
  expect(treeEdges({ nodes, edges: [edge(0, 1, 'opened'), edge(0, 1), edge(1, 0)] })).toEqual(new Map([[1, edge(0, 1)]]));
});

test.each<[Direction, number, number]>([
  ['ArrowLeft', 1, 0],
  ['ArrowLeft', 0, 0],
  ['ArrowRight', 0, 1],
  ['ArrowRight', 2, 2],
  ['ArrowDown', 1, 2],
  ['ArrowUp', 2, 1],
  ['ArrowDown', 2, 2],
  ['Home', 2, 0],
  ['End', 0, 3],
])('%s leads from node %i to node %i', (key, from, to) => {
  const nodes = tree(null, 0, 0, null);
  expect(nodeTowards(nodes, positionsOf(nodes), from, key)).toBe(to);
});
