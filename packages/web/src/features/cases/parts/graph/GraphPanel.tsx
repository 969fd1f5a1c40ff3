/** Attack graph as drawing or table, with playback and the details of an entity beside it. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import ToggleButton from '@mui/material/ToggleButton';
import ToggleButtonGroup from '@mui/material/ToggleButtonGroup';
import type { CaseGraph } from '@parapet/contract/caseGraph.ts';
import { useMemo, useRef, useState } from 'react';
import { PauseRounded } from '../../../../kit/icons/PauseRounded.tsx';
import { PlayArrowRounded } from '../../../../kit/icons/PlayArrowRounded.tsx';
import { palette } from '../../../../kit/palette.ts';
import { absoluteTime } from '../../../../kit/time.ts';
import { oneIn, useSearchState } from '../../../../lib/address.ts';
import { GraphCanvas } from './GraphCanvas.tsx';
import { GraphTable } from './GraphTable.tsx';
import { sentenceOf } from './graphTexts.tsx';
import { firstSteps, positionsOf, treeEdges } from './layout.ts';
import { NodeDetails } from './NodeDetails.tsx';
import { usePlayback } from './usePlayback.ts';

const Bar = styled('div')({ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: '8px 16px', marginBottom: 12 });
const Player = styled('div')({
  display: 'flex',
  flex: '1 1 320px',
  flexWrap: 'wrap',
  alignItems: 'center',
  gap: '4px 12px',
  minWidth: 0,
  '& input': { flex: '1 1 120px', minWidth: 0, height: 24, margin: 0, accentColor: palette.primary.main },
  '& input:focus-visible': { outline: `2px solid ${palette.primary.main}`, outlineOffset: 2, borderRadius: 4 },
});
const Step = styled('p')({
  margin: '0 0 12px',
  fontSize: 12,
  lineHeight: '16px',
  minHeight: 32,
  color: palette.text.secondary,
  overflowWrap: 'anywhere',
  fontVariantNumeric: 'tabular-nums',
});
const Columns = styled('div')({
  display: 'flex',
  gap: 16,
  alignItems: 'stretch',
  '& > .view': { flex: '1 1 0', minWidth: 0 },
  '@media (max-width: 899.95px)': { flexDirection: 'column', '& > .view': { flex: 'none' } },
});

const views = ['graph', 'table'] as const;

interface Props {
  graph: CaseGraph;
  client: number;
  timeZone: string;
}

export function GraphPanel({ graph, client, timeZone }: Props) {
  const { search, change } = useSearchState();
  const view = oneIn(search.attack, views, 'graph');
  const total = graph.edges.length;
  const playback = usePlayback(total);
  const [selected, setSelected] = useState<number>();
  const returnTo = useRef<HTMLElement>(null);
  const takesFocus = useRef(false);
  const drawn = useMemo(
    () => ({ positions: positionsOf(graph.nodes), steps: firstSteps(graph), tree: treeEdges(graph) }),
    [graph],
  );
  const node = selected === undefined ? undefined : graph.nodes[selected];
  const select = (id: number, from?: HTMLElement) => {
    if (from) returnTo.current = from;
    setSelected(id);
  };
  const edge = graph.edges[playback.step - 1];
  const stepText = edge
    ? `Step ${playback.step} of ${total}: ${absoluteTime(Date.parse(edge.firstTime), timeZone)}, ${sentenceOf(graph, edge)}`
    : `Before the first of ${total} steps`;

  return (
    <>
      <Bar>
        <ToggleButtonGroup
          exclusive
          size="small"
          value={view}
          aria-label="View of the attack graph"
          onChange={(_, next: (typeof views)[number] | null) =>
            next && change({ attack: next === 'graph' ? undefined : next }, { replace: true })
          }
        >
          {views.map((each) => (
            <ToggleButton key={each} value={each} sx={{ px: 1.5, py: 0.25, fontSize: 13, textTransform: 'none' }}>
              {each === 'graph' ? 'Graph' : 'Table'}
            </ToggleButton>
          ))}
        </ToggleButtonGroup>
        {view === 'graph' && total > 0 && (
          <Player role="group" aria-label="Playback">
            <Button
              size="small"
              variant="outlined"
              startIcon={playback.isRunning ? <PauseRounded /> : <PlayArrowRounded />}
              onClick={playback.toggle}
            >
              {playback.isRunning ? 'Pause' : 'Play'}
            </Button>
            <input
              type="range"
              min={0}
              max={total}
              value={playback.step}
              aria-label="Step of the attack"
              aria-valuetext={stepText}
              onChange={(event) => playback.seek(Number(event.target.value))}
            />
          </Player>
        )}
      </Bar>
      {view === 'graph' && total > 0 && <Step>{stepText}</Step>}
      <Columns>
        <div className="view">
          {view === 'graph' ? (
            <GraphCanvas
              graph={graph}
              drawn={drawn}
              step={playback.step}
              selected={selected}
              takesFocus={takesFocus}
              onSelect={select}
            />
          ) : (
            <GraphTable graph={graph} timeZone={timeZone} onSelect={select} />
          )}
        </div>
        {node && (
          <NodeDetails
            key={node.id}
            graph={graph}
            node={node}
            client={client}
            timeZone={timeZone}
            onSelect={select}
            onClose={() => {
              setSelected(undefined);
              // The drawing may have removed the box that was pressed.
              takesFocus.current = view === 'graph';
              if (view === 'table') returnTo.current?.focus();
            }}
          />
        )}
      </Columns>
    </>
  );
}
