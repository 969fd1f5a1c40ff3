/** Attack graph of a case. Drawing and table are a chunk of their own, loaded beside the data. */
import Box from '@mui/material/Box';
import type { CaseGraph } from '@parapet/contract/caseGraph.ts';
import { useQuery } from '@tanstack/react-query';
import { Suspense } from 'react';
import { lazyPanel } from '../../../../kit/LazyPanel.tsx';
import { counted } from '../../../../kit/numbers.ts';
import { Section } from '../../../../kit/Section.tsx';
import { SkeletonBar } from '../../../../kit/Skeletons.tsx';
import { EmptyState, FailedState } from '../../../../kit/States.tsx';
import { caseGraphQuery } from '../../cases.queries.ts';
import type { TabProps } from '../../tabs/tab.ts';

const GraphPanel = lazyPanel('the attack graph', () => import('./GraphPanel.tsx').then((module) => module.GraphPanel));

export function AttackGraph({ detail, timeZone }: Pick<TabProps, 'detail' | 'timeZone'>) {
  const { id, clientOrganizationID } = detail.caseGeneralInfo;
  const { data, error, refetch } = useQuery(caseGraphQuery(id));
  const skeleton = <SkeletonBar width="100%" height={320} />;
  return (
    <Box className="no-print">
      <Section title="Attack graph" note={data && data.nodes.length > 0 && noteOf(data)}>
        {data === undefined ? (
          error ? (
            <FailedState what="the attack graph" error={error} onRetry={() => void refetch()} />
          ) : (
            skeleton
          )
        ) : data.nodes.length === 0 ? (
          <EmptyState title="No entities" text="The events of this case name no device, user, process, address or file." />
        ) : (
          <Suspense fallback={skeleton}>
            <GraphPanel graph={data} client={clientOrganizationID} timeZone={timeZone} />
          </Suspense>
        )}
      </Section>
    </Box>
  );
}

const noteOf = ({ nodes, events, isPartial, omittedEdges }: CaseGraph): string =>
  [
    `${counted(nodes.length, 'entity', 'entities')} from ${counted(events, 'event', 'events')}`,
    ...(isPartial ? ['events of the most severe alerts only'] : []),
    ...(omittedEdges > 0 ? [`${counted(omittedEdges, 'less severe action', 'less severe actions')} not shown`] : []),
  ].join(', ');
