/** Operations (/apps/operations), for the provider’s Host: backups, and the release after a restore. */
import { styled } from '@mui/material/styles';
import { useQuery } from '@tanstack/react-query';
import { PageHeader } from '../../kit/PageHeader.tsx';
import { Loaded } from '../../lib/Loaded.tsx';
import { useScope } from '../../lib/scope.ts';
import { useTitle } from '../../lib/title.ts';
import { operationsQuery } from './operations.queries.ts';
import { BackupPanel } from './parts/BackupPanel.tsx';
import { ReleaseNote } from './parts/ReleaseNote.tsx';

const Column = styled('div')({ display: 'grid', gap: 16, '& > *': { minWidth: 0 } });

export function OperationsPage() {
  useTitle('Operations');
  const { timeZone } = useScope();
  const query = useQuery(operationsQuery);
  return (
    <>
      <PageHeader title="Operations" purpose="State of this installation" />
      <Loaded query={query} what="the state of the installation" lines={6} isEmpty={false} empty="">
        {query.data && (
          <Column>
            {query.data.restoration?.releasedAt === null && (
              <ReleaseNote restoration={query.data.restoration} timeZone={timeZone} />
            )}
            <BackupPanel backup={query.data.backup} timeZone={timeZone} />
          </Column>
        )}
      </Loaded>
    </>
  );
}
