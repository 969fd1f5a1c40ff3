/** Identities (/apps/identities): user names of a client that are one person, with the rules that join them; merge and undo. */
import Button from '@mui/material/Button';
import { allClients } from '@parapet/contract/access.ts';
import type { Identity } from '@parapet/contract/identities.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Count } from '../../kit/Count.tsx';
import { TwoLines, textCell } from '../../kit/cells.tsx';
import { CallMergeRounded } from '../../kit/icons/CallMergeRounded.tsx';
import { counted } from '../../kit/numbers.ts';
import type { Column } from '../../kit/table.ts';
import { VisibleText } from '../../kit/VisibleText.tsx';
import { AppLink } from '../../lib/AppLink.tsx';
import { ListPage } from '../../lib/ListPage.tsx';
import { clientLabel } from '../../lib/listSubtitle.ts';
import { paths } from '../../lib/paths.ts';
import { useScope } from '../../lib/scope.ts';
import { useListState } from '../../lib/useListState.ts';
import { identitiesQuery, identityList } from './identities.queries.ts';
import { IdentityRules } from './parts/IdentityRules.tsx';
import { MergeIdentities } from './parts/MergeIdentities.tsx';

const columnsOf = (client: number): readonly Column<Identity>[] => [
  {
    id: 'identity',
    header: 'Identity',
    flex: 1,
    width: 220,
    isFixed: true,
    cell: ({ identity }) => (
      <AppLink href={paths.alerts(client, { user: identity, timeframe: 'lastOneYear' })}>{textCell(identity)}</AppLink>
    ),
  },
  { id: 'names', header: 'Reported names', flex: 2, width: 320, cell: (row) => textCell(row.names.join(', ')) },
  { id: 'count', header: 'Names', width: 90, align: 'right', cell: (row) => <Count value={row.nameCount} /> },
  { id: 'alerts', header: 'Alerts', width: 100, align: 'right', cell: (row) => <Count value={row.alerts} /> },
];

export function IdentitiesPage() {
  const scope = useScope();
  const { client, may } = scope;
  const list = useListState(identityList);
  const [isMerging, setMerging] = useState(false);
  const isAllowed = may('cases:write');
  const identities = useQuery({ ...identitiesQuery(client || 1, list.query), enabled: isAllowed && client !== allClients });
  return (
    <ListPage
      id="identities"
      label="Identities"
      title="Identities"
      purpose={`User names that are one person: ${clientLabel(scope)}`}
      denied={
        !isAllowed
          ? { title: 'Only analysts manage identities', text: 'You don’t have permission to see them. Contact your analysts.' }
          : client === allClients && {
              title: 'Select a client',
              text: 'Identities belong to one client. Select it in the toolbar.',
            }
      }
      actions={
        <Button variant="contained" startIcon={<CallMergeRounded />} onClick={() => setMerging(true)}>
          Merge identities
        </Button>
      }
      list={list}
      query={identities}
      columns={columnsOf(client)}
      rowId={(row) => row.identity}
      card={(row) => (
        <TwoLines>
          <b>
            <VisibleText text={row.identity} />
          </b>
          <span>
            <VisibleText text={row.names.join(', ')} /> · {counted(row.alerts, 'alert')}
          </span>
        </TwoLines>
      )}
      search="Search identities"
      empty={{ title: 'No identities yet', text: 'Users appear here with their first alert.' }}
      dialogs={isMerging && <MergeIdentities client={client} onClose={() => setMerging(false)} />}
    >
      {identities.data && <IdentityRules client={client} rules={identities.data.rules} />}
    </ListPage>
  );
}
