/** Operations (/apps/operations), for the provider’s Host: capacity, processes, queues, slow operations, errors and backups. */
import { styled } from '@mui/material/styles';
import { useQuery } from '@tanstack/react-query';
import { Note } from '../../kit/Note.tsx';
import { PageHeader } from '../../kit/PageHeader.tsx';
import { EmptyState } from '../../kit/States.tsx';
import { Loaded } from '../../lib/Loaded.tsx';
import { useScope } from '../../lib/scope.ts';
import { useTitle } from '../../lib/title.ts';
import { operationsQuery } from './operations.queries.ts';
import { Activity } from './parts/Activity.tsx';
import { BackupPanel } from './parts/BackupPanel.tsx';
import { CapacityPanel } from './parts/CapacityPanel.tsx';
import { IsolationPanel } from './parts/IsolationPanel.tsx';
import { Processes } from './parts/Processes.tsx';
import { ReleaseNote } from './parts/ReleaseNote.tsx';
import { Sources } from './parts/Sources.tsx';

const Column = styled('div')({ display: 'grid', gap: 16, '& > *': { minWidth: 0 } });

export function OperationsPage() {
  useTitle('Operations');
  const { may, timeZone } = useScope();
  const isAllowed = may('operations:read');
  const query = useQuery({ ...operationsQuery, enabled: isAllowed });
  if (!isAllowed)
    return (
      <>
        <PageHeader title="Operations" />
        <EmptyState title="Operations are for Hosts" text="They concern the whole installation. Your role can’t see them." />
      </>
    );
  return (
    <>
      <PageHeader title="Operations" purpose="State of this installation" />
      <Loaded query={query} what="the state of the installation" lines={6} isEmpty={false} empty="">
        {query.data && (
          <Column>
            {query.data.isSafeMode && (
              <Note tone="warning">
                Safe mode: jobs, workers, connections, deliveries, emails and agent tasks are off. Events are still accepted.
                Restart without SAFE_MODE to end it.
              </Note>
            )}
            {query.data.restoration?.releasedAt === null && (
              <ReleaseNote restoration={query.data.restoration} timeZone={timeZone} />
            )}
            <Sources sources={query.data.sources} timeZone={timeZone} />
            <CapacityPanel
              capacity={query.data.capacity}
              version={query.data.version}
              databaseVersion={query.data.databaseVersion}
            />
            <Processes processes={query.data.processes} timeZone={timeZone} />
            <Activity {...query.data} timeZone={timeZone} />
            <BackupPanel backup={query.data.backup} timeZone={timeZone} />
            <IsolationPanel timeZone={timeZone} />
          </Column>
        )}
      </Loaded>
    </>
  );
}
