/** Ingest keys of an organisation, which authorise shippers to send events. */
import Button from '@mui/material/Button';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import type { ingestKeysApi } from '@parapet/contract/ingest-keys.ts';
import type { ClientDetails } from '@parapet/contract/organisations.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../../../kit/ConfirmDialog.tsx';
import { AddRounded } from '../../../kit/icons/AddRounded.tsx';
import { MonoText } from '../../../kit/Mono.tsx';
import { RelativeTime, TimeOrNever } from '../../../kit/RelativeTime.tsx';
import { FactRow, RowList } from '../../../kit/RowList.tsx';
import { EmptyState } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { useScope } from '../../../lib/scope.ts';
import { ingestKeysQuery, useRevokeIngestKey } from '../organisations.queries.ts';
import { NewKeyDialog } from './NewKeyDialog.tsx';

type Key = AnswerOf<typeof ingestKeysApi.list>['results'][number];

export function IngestKeysTab({ details }: { details: ClientDetails }) {
  const { timeZone } = useScope();
  const revoke = useRevokeIngestKey(details.id);
  const query = useQuery(ingestKeysQuery(details.id));
  const [isCreating, setCreating] = useState(false);
  const [revoked, setRevoked] = useState<Key>();
  return (
    <div style={{ display: 'grid', gap: 16 }}>
      <div>
        <Button variant="contained" startIcon={<AddRounded />} onClick={() => setCreating(true)}>
          New key
        </Button>
      </div>
      <RowList
        label="Ingest keys"
        what="ingest keys"
        query={query}
        empty={<EmptyState title="No ingest keys yet" text="Create one for a shipper: Beats, rsyslog or any HTTP client." />}
      >
        {(key) => (
          <FactRow
            key={key.id}
            name={key.name}
            facts={[
              { name: 'Prefix', value: <MonoText>{`${key.prefix}…`}</MonoText> },
              { name: 'Created', value: <RelativeTime at={key.createdAt} timeZone={timeZone} /> },
              { name: 'Last used', value: <TimeOrNever at={key.lastUsedAt} timeZone={timeZone} /> },
              {
                name: 'State',
                value: key.revokedAt ? (
                  <>
                    Revoked <RelativeTime at={key.revokedAt} timeZone={timeZone} />
                  </>
                ) : (
                  'Active'
                ),
              },
            ]}
            action={!key.revokedAt && { text: 'Revoke', onClick: () => setRevoked(key) }}
          />
        )}
      </RowList>
      {isCreating && <NewKeyDialog details={details} onClose={() => setCreating(false)} />}
      <ConfirmDialog
        isOpen={revoked !== undefined}
        title="Revoke the key?"
        isBusy={revoke.isPending}
        onNo={() => setRevoked(undefined)}
        onYes={() => revoked && revoke.mutate(revoked, { onSuccess: () => setRevoked(undefined) })}
      >
        Events sent with <VisibleText text={revoked?.name ?? ''} /> ({revoked?.prefix}…) will be rejected, and its shippers stop.
        This cannot be undone.
      </ConfirmDialog>
    </div>
  );
}
