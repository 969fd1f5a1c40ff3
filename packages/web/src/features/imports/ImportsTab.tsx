/** Imports of a client: files of events for incident work. */
import { allClients } from '@parapet/contract/access.ts';
import { useQuery } from '@tanstack/react-query';
import { AddButton } from '../../kit/AddButton.tsx';
import { UploadFileRounded } from '../../kit/icons/UploadFileRounded.tsx';
import { RowList } from '../../kit/RowList.tsx';
import { RowsBar } from '../../kit/rows.styles.ts';
import { EmptyState } from '../../kit/States.tsx';
import { AppLink } from '../../lib/AppLink.tsx';
import { useSearchState } from '../../lib/address.ts';
import { paths } from '../../lib/paths.ts';
import { useScope } from '../../lib/scope.ts';
import { importsQuery } from './imports.queries.ts';
import { ImportRow } from './parts/ImportRow.tsx';
import { NewImport } from './parts/NewImport.tsx';

const runningMs = 1_500;
const idleMs = 30_000;

export function ImportsTab() {
  const { client, may } = useScope();
  const { search } = useSearchState();
  const query = useQuery({
    ...importsQuery(client),
    enabled: client !== allClients,
    refetchInterval: ({ state }) => (state.data?.results.some((each) => each.state === 'running') ? runningMs : idleMs),
  });
  if (client === allClients)
    return (
      <EmptyState icon={<UploadFileRounded />} title="Select a client" text="Files are imported for one client at a time." />
    );
  const refusal = may('connections:write') ? undefined : 'Your role can see imports, not add them.';
  if (!refusal && search.import === 'new') return <NewImport client={client} />;
  const add = (
    <AddButton
      reason={refusal}
      startIcon={<UploadFileRounded />}
      component={AppLink}
      href={paths.devices(client, { tab: 'imports', import: 'new' })}
    >
      Import file
    </AddButton>
  );
  return (
    <RowList
      label="Imports"
      what="imports"
      query={query}
      rowHeight={88}
      empty={
        <EmptyState
          icon={<UploadFileRounded />}
          title="No imports yet"
          text={`Import event logs collected manually: Windows events as JSON, NDJSON or CSV. ${refusal ?? ''}`}
          actions={add}
        />
      }
      head={<RowsBar>{add}</RowsBar>}
    >
      {(each) => <ImportRow key={each.id} fileImport={each} />}
    </RowList>
  );
}
