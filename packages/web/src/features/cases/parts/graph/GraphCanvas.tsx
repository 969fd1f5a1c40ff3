/** Drawing of an attack graph: layers from left to right. One stop of the tab order; arrow keys move between entities. */
import { styled } from '@mui/material/styles';
import type { CaseGraph, GraphEdge } from '@parapet/contract/caseGraph.ts';
import { Controls, type Edge, MarkerType, Position, ReactFlow, type ReactFlowInstance } from '@xyflow/react';
import { type KeyboardEvent, type RefObject, useEffect, useId, useMemo, useRef, useState } from 'react';
import { Hidden } from '../../../../kit/Announced.tsx';
import { palette } from '../../../../kit/palette.ts';
import { Cursor, type EntityNode, EntityView } from './EntityNode.tsx';
import { nameOf } from './graphTexts.tsx';
import { isDirection, nodeSize, nodeTowards, type Position as Place } from './layout.ts';
import '@xyflow/react/dist/base.css';

const Frame = styled('div')({
  position: 'relative',
  border: `1px solid ${palette.divider}`,
  borderRadius: 8,
  overflow: 'hidden',
  backgroundColor: palette.background.default,
  '& .react-flow__edge-path': { stroke: palette.text.secondary, strokeOpacity: 0.6, strokeWidth: 1.25 },
  '& .cross .react-flow__edge-path': { strokeDasharray: '4 4', strokeOpacity: 0.4 },
  '& .now .react-flow__edge-path, & .near .react-flow__edge-path': {
    stroke: palette.primary.main,
    strokeOpacity: 1,
    strokeWidth: 2,
  },
  '& .react-flow__handle': { width: 1, height: 1, minWidth: 0, minHeight: 0, border: 0, opacity: 0, pointerEvents: 'none' },
  '& .react-flow__node.off': { opacity: 0.25 },
  '& .react-flow__controls': { boxShadow: 'none', border: `1px solid ${palette.divider}`, borderRadius: 4, overflow: 'hidden' },
  '& .react-flow__controls-button': {
    width: 28,
    height: 28,
    padding: 6,
    border: 0,
    backgroundColor: palette.background.paper,
    color: palette.text.primary,
    '&:hover': { backgroundColor: palette.action.hover },
    '&:focus-visible': { outline: `2px solid ${palette.primary.main}`, outlineOffset: -2 },
    '& svg': { width: 14, height: 14, fill: 'currentColor' },
  },
});

const types = { entity: EntityView };
const margin = 24;
const height = { min: 220, max: 480 };
/** Smallest scale at which names are read. */
const readable = 0.85;

interface Drawn {
  positions: readonly Place[];
  steps: readonly number[];
  tree: ReadonlyMap<number, GraphEdge>;
}

interface Props {
  graph: CaseGraph;
  drawn: Drawn;
  step: number;
  selected: number | undefined;
  /** Set when the current entity shall have the focus. */
  takesFocus: RefObject<boolean>;
  onSelect: (id: number, from: HTMLElement) => void;
}

/** Moves of the view: `centre` an entity, or `reveal` one that is outside of it. */
function useView(
  frame: RefObject<HTMLDivElement | null>,
  flow: RefObject<ReactFlowInstance<EntityNode> | null>,
  positions: Drawn['positions'],
  size: { width: number; height: number },
) {
  /** Centres an entity, as far as the view stays within the drawing. */
  const centre = (id: number, zoom: number) => {
    const box = frame.current?.getBoundingClientRect();
    const at = positions[id];
    if (!box || !at) return;
    const along = (room: number, whole: number, middle: number) =>
      whole * zoom <= room - 2 * margin
        ? (room - whole * zoom) / 2
        : Math.min(margin, Math.max(room - margin - whole * zoom, room / 2 - middle * zoom));
    void flow.current?.setViewport({
      x: along(box.width, size.width, at.x + nodeSize.width / 2),
      y: along(box.height, size.height, at.y + nodeSize.height / 2),
      zoom,
    });
  };

  /** Moves the view only if the entity is outside of it. */
  const reveal = (id: number) => {
    const box = frame.current?.getBoundingClientRect();
    const at = positions[id];
    if (!box || !at || !flow.current) return;
    const { x, y, zoom } = flow.current.getViewport();
    const [left, top] = [at.x * zoom + x, at.y * zoom + y];
    const [right, bottom] = [left + nodeSize.width * zoom, top + nodeSize.height * zoom];
    if (left >= 0 && top >= 0 && right <= box.width && bottom <= box.height) return;
    centre(id, Math.max(zoom, readable));
  };

  return { centre, reveal };
}

export function GraphCanvas({ graph, drawn, step, selected, takesFocus, onSelect }: Props) {
  const frame = useRef<HTMLDivElement>(null);
  const flow = useRef<ReactFlowInstance<EntityNode>>(null);
  const help = useId();
  const [current, setCurrent] = useState(() => startOf(graph));
  const nodes = useNodes(graph, drawn);
  const edges = useEdges(graph, drawn, step, selected);
  const { positions, steps } = drawn;
  const size = {
    width: Math.max(...positions.map(({ x }) => x)) + nodeSize.width,
    height: Math.max(...positions.map(({ y }) => y)) + nodeSize.height,
  };

  const { centre, reveal } = useView(frame, flow, positions, size);

  const isPast = step < graph.edges.length;
  useEffect(() => {
    const edge = graph.edges[step - 1];
    if (isPast && edge) reveal(edge.to);
  });

  // Opening and closing the details changes the room.
  // biome-ignore lint/correctness/useExhaustiveDependencies: not after each move of the view.
  useEffect(() => reveal(current), [selected]);

  const onKeyDown = (event: KeyboardEvent) => {
    if (!isDirection(event.key) || event.ctrlKey || event.metaKey || event.altKey) return;
    if (!(event.target as Element).closest('.entity')) return;
    event.preventDefault();
    const next = nodeTowards(graph.nodes, positions, current, event.key);
    takesFocus.current = true;
    setCurrent(next);
    reveal(next);
  };

  return (
    <Frame
      ref={frame}
      role="group"
      aria-label="Attack graph"
      aria-describedby={help}
      onKeyDown={onKeyDown}
      style={{ height: Math.min(height.max, Math.max(height.min, size.height + 2 * margin)) }}
    >
      <Hidden id={help}>Arrow keys move between entities, Enter opens details. The table has the same content.</Hidden>
      <Cursor
        value={{
          current,
          selected,
          takesFocus,
          onSelect: (id, from) => {
            setCurrent(id);
            onSelect(id, from);
          },
        }}
      >
        <ReactFlow<EntityNode>
          nodes={nodes.map(({ shown, off }, id) => ((steps[id] ?? 0) <= step ? shown : off))}
          edges={edges}
          nodeTypes={types}
          onInit={(instance) => {
            flow.current = instance;
            const box = frame.current?.getBoundingClientRect();
            // Called after a pause, in which the page may have been left.
            if (!box) return;
            const fitting = Math.min((box.width - 2 * margin) / size.width, (box.height - 2 * margin) / size.height);
            centre(current, Math.min(1, Math.max(readable, fitting)));
          }}
          minZoom={0.1}
          maxZoom={2}
          onlyRenderVisibleElements
          nodesDraggable={false}
          nodesConnectable={false}
          nodesFocusable={false}
          edgesFocusable={false}
          elementsSelectable={false}
          disableKeyboardA11y
          deleteKeyCode={null}
          selectionKeyCode={null}
          multiSelectionKeyCode={null}
          zoomOnScroll={false}
          zoomOnDoubleClick={false}
          preventScrolling={false}
          proOptions={{ hideAttribution: true }}
        >
          <Controls position="bottom-right" showInteractive={false} fitViewOptions={{ padding: `${margin}px` }} />
        </ReactFlow>
      </Cursor>
    </Frame>
  );
}

const severities = ['critical', 'high', 'medium', 'low', 'informational', null] as const;
/** The first of the most severe entities. */
const startOf = ({ nodes }: CaseGraph): number =>
  severities.map((severity) => nodes.findIndex((node) => node.severity === severity)).find((id) => id >= 0) ?? 0;

/** Both states of each node, created once: a step of the playback changes few of them. */
function useNodes(graph: CaseGraph, { positions, tree }: Drawn): { shown: EntityNode; off: EntityNode }[] {
  return useMemo(
    () =>
      graph.nodes.map((node) => {
        const edge = tree.get(node.id);
        const { x, y } = positions[node.id]!;
        const middle = { y: nodeSize.height / 2, width: 1, height: 1 };
        const shown: EntityNode = {
          id: `${node.id}`,
          type: 'entity',
          position: { x, y },
          data: { node, action: edge?.action, by: edge && nameOf(graph.nodes[edge.from]!) },
          ...nodeSize,
          // Of nodes out of sight, which are not rendered.
          handles: [
            { type: 'source', position: Position.Right, x: nodeSize.width, ...middle },
            { type: 'target', position: Position.Left, x: 0, ...middle },
          ],
        };
        return { shown, off: { ...shown, className: 'off' } };
      }),
    [graph, positions, tree],
  );
}

/** Of more edges beside the tree only those of the selected entity and of the present step are drawn. */
const maxCrossEdges = 150;

function useEdges(graph: CaseGraph, { tree }: Drawn, step: number, selected: number | undefined): Edge[] {
  return useMemo(() => {
    const drawsAll = graph.edges.length - tree.size <= maxCrossEdges;
    return graph.edges.slice(0, step).flatMap((edge, index): Edge[] => {
      const { from, to } = edge;
      const isInTree = tree.get(to)?.from === from;
      const isNow = index === step - 1 && step < graph.edges.length;
      const isNear = selected === from || selected === to;
      if (!isInTree && !isNow && !isNear && !drawsAll) return [];
      const color = isNow || isNear ? palette.primary.main : palette.text.secondary;
      return [
        {
          id: `${index}`,
          source: `${from}`,
          target: `${to}`,
          className: [isInTree ? '' : 'cross', isNow ? 'now' : '', isNear ? 'near' : ''].join(' '),
          markerEnd: { type: MarkerType.ArrowClosed, color, width: 14, height: 14 },
        },
      ];
    });
  }, [graph, tree, step, selected]);
}
