/** Details of an entity beside the attack graph: fields, alerts, actions, and links to its pages. */
import Button from '@mui/material/Button';
import IconButton from '@mui/material/IconButton';
import { styled } from '@mui/material/styles';
import type { CaseGraph, GraphNode } from '@parapet/contract/caseGraph.ts';
import { useEffect, useRef } from 'react';
import { DefinitionList } from '../../../../kit/DefinitionList.tsx';
import { CloseRounded } from '../../../../kit/icons/CloseRounded.tsx';
import { Mono } from '../../../../kit/Mono.tsx';
import { palette } from '../../../../kit/palette.ts';
import { AbsoluteTime } from '../../../../kit/RelativeTime.tsx';
import { SeverityChip, SeverityIcon, severityLabel } from '../../../../kit/Severity.tsx';
import { VisibleText } from '../../../../kit/VisibleText.tsx';
import { AppLink } from '../../../../lib/AppLink.tsx';
import { paths } from '../../../../lib/paths.ts';
import { kindLabel, linksOf } from './graphTexts.tsx';

const Panel = styled('aside')({
  flex: '0 0 320px',
  minWidth: 0,
  maxHeight: 560,
  overflowY: 'auto',
  border: `1px solid ${palette.divider}`,
  borderRadius: 8,
  padding: '12px 16px 16px',
  fontSize: 13,
  '@media (max-width: 899.95px)': { flex: 'none', maxHeight: 'none' },
  '& header': { display: 'flex', alignItems: 'flex-start', gap: 8, marginBottom: 12 },
  '& h3': {
    flex: 1,
    minWidth: 0,
    margin: 0,
    fontSize: 14,
    lineHeight: '20px',
    fontWeight: 600,
    overflowWrap: 'anywhere',
    outline: 'none',
  },
  '& h3 small': { display: 'block', fontSize: 12, lineHeight: '16px', fontWeight: 400, color: palette.text.secondary },
  '& h4': { margin: '16px 0 4px', fontSize: 12, lineHeight: '16px', fontWeight: 600 },
  '& ul': { margin: 0, padding: 0, listStyle: 'none' },
  '& li': { padding: '4px 0', overflowWrap: 'anywhere' },
  '& li.alert': { display: 'grid', gridTemplateColumns: '16px minmax(0, 1fr)', gap: 8, alignItems: 'start' },
  '& .marks': { display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 8, marginBottom: 12 },
  '& .tactic': { fontSize: 12, padding: '2px 8px', borderRadius: 4, border: `1px solid ${palette.divider}` },
  '& .links': { display: 'flex', flexWrap: 'wrap', gap: 8, marginTop: 16 },
  '& li button': {
    padding: 0,
    border: 0,
    background: 'none',
    font: 'inherit',
    textAlign: 'left',
    color: 'inherit',
    textDecoration: 'underline',
    textUnderlineOffset: 3,
    cursor: 'pointer',
    overflowWrap: 'anywhere',
  },
  '& time': { color: palette.text.secondary, fontVariantNumeric: 'tabular-nums' },
});
const maxActions = 20;

interface Props {
  graph: CaseGraph;
  node: GraphNode;
  client: number;
  timeZone: string;
  onSelect: (id: number) => void;
  onClose: () => void;
}

export function NodeDetails({ graph, node, client, timeZone, onSelect, onClose }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus({ preventScroll: false }), []);
  const actions = graph.edges.filter(({ from, to }) => from === node.id || to === node.id);
  const links = linksOf(node, client);
  return (
    <Panel
      aria-label={`${kindLabel[node.kind]} details`}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        onClose();
      }}
    >
      <header>
        <h3 ref={heading} tabIndex={-1}>
          <small>{kindLabel[node.kind]}</small>
          <VisibleText text={node.label} />
        </h3>
        <IconButton size="small" aria-label="Close details" onClick={onClose}>
          <CloseRounded fontSize="small" />
        </IconButton>
      </header>
      {(node.severity ?? node.tactics.length > 0) && (
        <div className="marks">
          {node.severity && <SeverityChip severity={node.severity} />}
          {node.tactics.map((tactic) => (
            <span key={tactic} className="tactic">
              <VisibleText text={tactic} />
            </span>
          ))}
        </div>
      )}
      <DefinitionList
        facts={[
          {
            name: 'Name',
            value: node.value !== node.label && node.value && <Mono text={node.value} copyLabel="Copy name" />,
            isWide: true,
          },
          ...node.facts.map(({ name, value }) => ({
            name,
            value: <Mono text={value} copyLabel={`Copy ${name.toLowerCase()}`} />,
            isWide: true,
          })),
          { name: 'First seen', value: <AbsoluteTime at={node.firstTime} timeZone={timeZone} /> },
          { name: 'Last seen', value: <AbsoluteTime at={node.lastTime} timeZone={timeZone} /> },
        ]}
      />
      {node.alerts.length > 0 && (
        <>
          <h4>{node.alertCount > node.alerts.length ? `Alerts, ${node.alerts.length} of ${node.alertCount}` : 'Alerts'}</h4>
          <ul>
            {node.alerts.map(({ id, rule, criticality }) => (
              <li key={id} className="alert">
                <SeverityIcon severity={criticality} label={severityLabel[criticality]} />
                <AppLink href={paths.alert(id)} style={{ color: 'inherit', textUnderlineOffset: 3 }}>
                  <VisibleText text={rule} />
                </AppLink>
              </li>
            ))}
          </ul>
        </>
      )}
      {actions.length > 0 && (
        <>
          <h4>{actions.length > maxActions ? `Actions, ${maxActions} of ${actions.length}` : 'Actions'}</h4>
          <ul>
            {actions.slice(0, maxActions).map(({ from, to, action, firstTime }) => {
              const other = graph.nodes[from === node.id ? to : from]!;
              const name = (
                <button type="button" onClick={() => onSelect(other.id)}>
                  <VisibleText text={other.label} />
                </button>
              );
              return (
                <li key={`${from} ${action} ${to}`}>
                  {from === node.id ? (
                    <>
                      {action} {name}
                    </>
                  ) : (
                    <>
                      {name} {action} this {kindLabel[node.kind].toLowerCase()}
                    </>
                  )}{' '}
                  <AbsoluteTime at={firstTime} timeZone={timeZone} />
                </li>
              );
            })}
          </ul>
        </>
      )}
      {links.length > 0 && (
        <div className="links">
          {links.map(({ title, href }) => (
            <Button key={title} component={AppLink} href={href} size="small" variant="outlined">
              {title}
            </Button>
          ))}
        </div>
      )}
    </Panel>
  );
}
