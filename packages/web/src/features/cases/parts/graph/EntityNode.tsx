/** Box of an entity in the attack graph. */
import { styled } from '@mui/material/styles';
import type { GraphNode } from '@parapet/contract/caseGraph.ts';
import { Handle, type Node, type NodeProps, Position } from '@xyflow/react';
import { createContext, memo, type RefObject, useContext, useEffect, useRef } from 'react';
import { Hidden } from '../../../../kit/Announced.tsx';
import { palette } from '../../../../kit/palette.ts';
import { SeverityIcon, severityColor, severityLabel } from '../../../../kit/Severity.tsx';
import { VisibleText } from '../../../../kit/VisibleText.tsx';
import { kindIcon, kindLabel, nameOf } from './graphTexts.tsx';
import { nodeSize } from './layout.ts';

export type EntityNode = Node<{ node: GraphNode; action: string | undefined; by: string | undefined }, 'entity'>;

interface CursorState {
  /** The only entity in the tab order. */
  current: number;
  selected: number | undefined;
  /** Set when the current entity shall have the focus, once it is drawn. */
  takesFocus: RefObject<boolean>;
  onSelect: (id: number, from: HTMLElement) => void;
}
export const Cursor = createContext<CursorState>({
  current: 0,
  selected: undefined,
  takesFocus: { current: false },
  onSelect: () => {},
});

const Box = styled('button')({
  position: 'relative',
  display: 'grid',
  gridTemplateColumns: '18px minmax(0, 1fr) auto',
  gridTemplateRows: '18px 16px',
  gap: '0 8px',
  alignItems: 'center',
  ...nodeSize,
  padding: '8px 10px',
  boxSizing: 'border-box',
  border: `1px solid ${palette.text.secondary}`,
  borderRadius: 8,
  backgroundColor: palette.background.paper,
  color: palette.text.primary,
  font: 'inherit',
  textAlign: 'left',
  cursor: 'pointer',
  pointerEvents: 'all',
  '&:hover': { backgroundImage: `linear-gradient(${palette.action.hover}, ${palette.action.hover})` },
  '&:focus-visible': { outline: `2px solid ${palette.primary.main}`, outlineOffset: 2 },
  '&[aria-expanded=true]': { borderColor: palette.primary.main, boxShadow: `0 0 0 1px ${palette.primary.main}` },
  '& > .icon': { fontSize: 18, color: palette.text.secondary },
  '& > .label': { fontSize: 13, lineHeight: '18px', fontWeight: 600 },
  '& > .note': { gridColumn: '2 / -1', fontSize: 12, lineHeight: '16px', color: palette.text.secondary },
  '& > .label, & > .note': { overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' },
  '& .tactic': { color: palette.text.primary, fontWeight: 500 },
});

export const EntityView = memo(function EntityView({ data: { node, action, by } }: NodeProps<EntityNode>) {
  const { current, selected, takesFocus, onSelect } = useContext(Cursor);
  const button = useRef<HTMLButtonElement>(null);
  const isCurrent = current === node.id;
  useEffect(() => {
    if (!isCurrent || !takesFocus.current) return;
    takesFocus.current = false;
    button.current?.focus({ preventScroll: true });
  });
  const Icon = kindIcon[node.kind];
  const [tactic, ...others] = node.tactics;
  return (
    <>
      <Handle type="target" position={Position.Left} isConnectable={false} />
      <Box
        ref={button}
        type="button"
        className="entity nopan"
        tabIndex={isCurrent ? 0 : -1}
        aria-expanded={selected === node.id}
        title={nameOf(node)}
        onClick={(event) => onSelect(node.id, event.currentTarget)}
        style={node.severity ? { borderLeft: `4px solid ${severityColor(node.severity)}`, paddingLeft: 7 } : undefined}
      >
        <Icon className="icon" aria-hidden />
        <span className="label">
          <Hidden>{kindLabel[node.kind]} </Hidden>
          <VisibleText text={node.label} />
        </span>
        {node.severity ? <SeverityIcon severity={node.severity} label={`${severityLabel[node.severity]} severity`} /> : <span />}
        <span className="note">
          {action}
          {action && <Hidden> by {by}</Hidden>}
          {tactic && (
            <>
              {action && ' · '}
              <span className="tactic">
                <VisibleText text={tactic} />
                {others.length > 0 && ` +${others.length}`}
              </span>
            </>
          )}
        </span>
      </Box>
      <Handle type="source" position={Position.Right} isConnectable={false} />
    </>
  );
});
