/** The attack graph’s content as a table: one row per action in order of time, and one per entity without any. */
import { styled } from '@mui/material/styles';
import type { CaseGraph, GraphNode } from '@parapet/contract/caseGraph.ts';
import { exact } from '../../../../kit/numbers.ts';
import { palette } from '../../../../kit/palette.ts';
import { AbsoluteTime } from '../../../../kit/RelativeTime.tsx';
import { SeverityLabel } from '../../../../kit/Severity.tsx';
import { VisibleText } from '../../../../kit/VisibleText.tsx';
import { AppLink } from '../../../../lib/AppLink.tsx';
import { paths } from '../../../../lib/paths.ts';
import { kindLabel } from './graphTexts.tsx';

const Scroll = styled('div')({
  overflow: 'auto',
  maxHeight: 520,
  '&:focus-visible': { outline: `2px solid ${palette.primary.main}`, outlineOffset: 2 },
  '& table': { width: '100%', minWidth: 720, borderCollapse: 'collapse', fontSize: 13, fontVariantNumeric: 'tabular-nums' },
  '& th': { position: 'sticky', top: 0, zIndex: 1, backgroundColor: palette.background.paper, fontSize: 12, fontWeight: 600 },
  '& th, & td': { padding: '6px 8px', textAlign: 'left', verticalAlign: 'top', borderBottom: `1px solid ${palette.divider}` },
  '& th.number, & td.number': { textAlign: 'right' },
  '& td': { overflowWrap: 'anywhere' },
  '& td.time': { whiteSpace: 'nowrap' },
  '& small': { display: 'block', fontSize: 12, color: palette.text.secondary },
  '& button': {
    padding: 0,
    border: 0,
    background: 'none',
    font: 'inherit',
    textAlign: 'left',
    color: palette.text.primary,
    textDecoration: 'underline',
    textDecorationColor: palette.divider,
    textUnderlineOffset: 3,
    cursor: 'pointer',
    overflowWrap: 'anywhere',
  },
  '& button:focus-visible': { outline: `2px solid ${palette.primary.main}`, outlineOffset: 2 },
});

interface Props {
  graph: CaseGraph;
  timeZone: string;
  onSelect: (id: number, from: HTMLElement) => void;
}

export function GraphTable({ graph: { nodes, edges }, timeZone, onSelect }: Props) {
  const touched = new Set(edges.flatMap(({ from, to }) => [from, to]));
  const rows = [
    ...edges.map((edge, index) => ({ key: `step ${index}`, ...edge })),
    ...nodes
      .filter(({ id }) => !touched.has(id))
      .map((node) => ({
        ...node,
        key: `entity ${node.id}`,
        from: node.id,
        to: undefined,
        action: 'seen',
        count: 1,
        alertID: node.alerts[0]?.id,
      })),
  ];
  const entity = (node: GraphNode) => (
    <>
      <button type="button" onClick={(event) => onSelect(node.id, event.currentTarget)}>
        <VisibleText text={node.label} />
      </button>
      <small>{kindLabel[node.kind]}</small>
    </>
  );
  return (
    <Scroll tabIndex={0} role="group" aria-label="Attack graph as a table, scrollable">
      <table aria-label="Attack graph">
        <thead>
          <tr>
            <th scope="col">Time</th>
            <th scope="col">Source</th>
            <th scope="col">Action</th>
            <th scope="col">Target</th>
            <th scope="col">Alert</th>
            <th scope="col">Tactics</th>
            <th scope="col" className="number">
              Events
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, from, to, action, firstTime, severity, tactics, alertID, count }) => (
            <tr key={key}>
              <td className="time">
                <AbsoluteTime at={firstTime} timeZone={timeZone} />
              </td>
              <td>{entity(nodes[from]!)}</td>
              <td>{action}</td>
              <td>{to !== undefined && entity(nodes[to]!)}</td>
              <td>
                {severity && (
                  <>
                    <SeverityLabel severity={severity} />
                    {alertID && (
                      <small>
                        <AppLink href={paths.alert(alertID)}>Alert {alertID}</AppLink>
                      </small>
                    )}
                  </>
                )}
              </td>
              <td>
                <VisibleText text={tactics.join(', ')} />
              </td>
              <td className="number">{exact(count)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}
