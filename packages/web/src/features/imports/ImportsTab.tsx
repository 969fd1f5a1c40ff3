/** Imports of a client: files of events for incident work. */
import Button from '@mui/material/Button';
import { useQuery } from '@tanstack/react-query';
import { UploadFileRounded } from '../../kit/icons/UploadFileRounded.tsx';
import { Rows } from '../../kit/rows.styles.ts';
import { TextSkeleton } from '../../kit/Skeletons.tsx';
import { EmptyState, FailedState } from '../../kit/States.tsx';
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
  const { data, error, refetch } = useQuery({
    ...importsQuery(client),
    enabled: client !== 0,
    refetchInterval: ({ state }) => (state.data?.results.some((each) => each.state === 'running') ? runningMs : idleMs),
  });
  if (client === 0)
    return (
      <EmptyState icon={<UploadFileRounded />} title="Select a client" text="Files are imported for one client at a time." />
    );
  const refusal = may('connections:write') ? undefined : 'Your role can see imports, not add them.';
  if (!refusal && search.import === 'new') return <NewImport client={client} />;
  const imports = data?.results;
  const add = (
    <span title={refusal}>
      <Button
        variant="contained"
        size="small"
        startIcon={<UploadFileRounded />}
        disabled={refusal !== undefined}
        component={AppLink}
        href={paths.devices(client, { tab: 'imports', import: 'new' })}
      >
        Import file
      </Button>
    </span>
  );
  return (
    <>
      {imports && imports.length > 0 && <div style={{ marginBottom: 16 }}>{add}</div>}
      {!imports &&
        (error ? (
          <FailedState what="imports" error={error} onRetry={() => void refetch()} />
        ) : (
          <TextSkeleton lines={3} lineHeight={88} />
        ))}
      {imports?.length === 0 && (
        <EmptyState
          icon={<UploadFileRounded />}
          title="No imports yet"
          text={`Import event logs that were collected by hand: Windows events as JSON, NDJSON or CSV. ${refusal ?? ''}`}
          actions={add}
        />
      )}
      {imports && imports.length > 0 && (
        <Rows aria-label="Imports">
          {imports.map((each) => (
            <ImportRow key={each.id} fileImport={each} />
          ))}
        </Rows>
      )}
    </>
  );
}
