/** Connections of a client: accounts at vendors whose events the portal fetches. */
import Button from '@mui/material/Button';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { AddRounded } from '../../kit/icons/AddRounded.tsx';
import { CloudOutlined } from '../../kit/icons/CloudOutlined.tsx';
import { Rows } from '../../kit/rows.styles.ts';
import { TextSkeleton } from '../../kit/Skeletons.tsx';
import { EmptyState, FailedState } from '../../kit/States.tsx';
import { useScope } from '../../lib/scope.ts';
import { connectionsQuery, pollIntervalMs } from './connections.queries.ts';
import { AddConnection } from './parts/AddConnection.tsx';
import { Applications } from './parts/Applications.tsx';
import { ConnectionRow } from './parts/ConnectionRow.tsx';
import { Feeds } from './parts/Feeds.tsx';
import { Invites } from './parts/Invites.tsx';
import { Syslog } from './parts/Syslog.tsx';

export function ConnectionsTab() {
  const { client, may } = useScope();
  const { data, error, refetch } = useQuery({
    ...connectionsQuery(client),
    refetchInterval: ({ state }) => pollIntervalMs(state.data?.results),
  });
  const [isAdding, setAdding] = useState(false);
  const refusal = !may('connections:write')
    ? 'Your role can see connections, not change them.'
    : client === 0
      ? 'Select a client to add a connection.'
      : undefined;
  const add = (
    <span title={refusal}>
      <Button
        variant="contained"
        size="small"
        startIcon={<AddRounded />}
        disabled={refusal !== undefined}
        onClick={() => setAdding(true)}
      >
        Add connection
      </Button>
    </span>
  );
  const connections = data?.results;
  return (
    <>
      {connections && connections.length > 0 && (
        <div style={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: '8px 12px', marginBottom: 16 }}>
          {add}
          {refusal && <span style={{ fontSize: 12 }}>{refusal}</span>}
        </div>
      )}
      {!connections &&
        (error ? (
          <FailedState what="connections" error={error} onRetry={() => void refetch()} />
        ) : (
          <TextSkeleton lines={3} lineHeight={88} />
        ))}
      {connections?.length === 0 && (
        <EmptyState
          icon={<CloudOutlined />}
          title="No connections yet"
          text={`Once it may read their logs, the portal fetches events of cloud services every minute, and it listens for syslog of devices. ${refusal ?? ''}`}
          actions={add}
        />
      )}
      {connections && connections.length > 0 && (
        <Rows aria-label="Connections">
          {connections.map((connection) => (
            <ConnectionRow key={connection.id} connection={connection} />
          ))}
        </Rows>
      )}
      <Invites client={client} />
      {may('installation:write') && <Applications />}
      {may('installation:write') && <Syslog />}
      {may('intelligence:write') && <Feeds />}
      {isAdding && <AddConnection client={client} onClose={() => setAdding(false)} />}
    </>
  );
}
