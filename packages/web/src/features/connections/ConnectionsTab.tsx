/** Connections of a client: accounts at vendors whose events the portal fetches. */
import { allClients } from '@parapet/contract/access.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { AddButton } from '../../kit/AddButton.tsx';
import { CloudOutlined } from '../../kit/icons/CloudOutlined.tsx';
import { RowList } from '../../kit/RowList.tsx';
import { RowsBar } from '../../kit/rows.styles.ts';
import { EmptyState } from '../../kit/States.tsx';
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
  const query = useQuery({
    ...connectionsQuery(client),
    refetchInterval: ({ state }) => pollIntervalMs(state.data?.results),
  });
  const [isAdding, setAdding] = useState(false);
  const refusal = !may('connections:write')
    ? 'Your role can see connections, not change them.'
    : client === allClients
      ? 'Select a client to add a connection.'
      : undefined;
  const add = (
    <AddButton reason={refusal} onClick={() => setAdding(true)}>
      Add connection
    </AddButton>
  );
  return (
    <>
      <RowList
        label="Connections"
        what="connections"
        query={query}
        rowHeight={88}
        empty={
          <EmptyState
            icon={<CloudOutlined />}
            title="No connections yet"
            text={`Once it may read their logs, the portal fetches events of cloud services every minute, and it listens for syslog of devices. ${refusal ?? ''}`}
            actions={add}
          />
        }
        head={
          <RowsBar>
            {add}
            {refusal && <span className="hint">{refusal}</span>}
          </RowsBar>
        }
      >
        {(connection) => <ConnectionRow key={connection.id} connection={connection} />}
      </RowList>
      <Invites client={client} />
      {may('installation:write') && <Applications />}
      {may('installation:write') && <Syslog />}
      {may('intelligence:write') && <Feeds />}
      {isAdding && <AddConnection client={client} onClose={() => setAdding(false)} />}
    </>
  );
}
