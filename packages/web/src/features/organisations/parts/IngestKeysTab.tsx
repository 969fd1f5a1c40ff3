/** Ingest keys of an organisation, which authorise shippers to send events. */
import Button from '@mui/material/Button';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import type { ingestKeysApi } from '@parapet/contract/ingest-keys.ts';
import type { ClientDetails } from '@parapet/contract/organisations.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../../../kit/ConfirmDialog.tsx';
import { DefinitionList } from '../../../kit/DefinitionList.tsx';
import { AddRounded } from '../../../kit/icons/AddRounded.tsx';
import { MonoText } from '../../../kit/Mono.tsx';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { Row, Rows } from '../../../kit/rows.styles.ts';
import { TextSkeleton } from '../../../kit/Skeletons.tsx';
import { EmptyState, FailedState } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { useScope } from '../../../lib/scope.ts';
import { ingestKeysQuery, useRevokeIngestKey } from '../organisations.queries.ts';
import { NewKeyDialog } from './NewKeyDialog.tsx';

type Key = AnswerOf<typeof ingestKeysApi.list>['results'][number];

export function IngestKeysTab({ details }: { details: ClientDetails }) {
  const { timeZone } = useScope();
  const revoke = useRevokeIngestKey(details.id);
  const { data, error, refetch } = useQuery(ingestKeysQuery(details.id));
  const [isCreating, setCreating] = useState(false);
  const [revoked, setRevoked] = useState<Key>();
  const keys = data?.results;
  return (
    <div style={{ display: 'grid', gap: 16 }}>
      <div>
        <Button variant="contained" startIcon={<AddRounded />} onClick={() => setCreating(true)}>
          New key
        </Button>
      </div>
      {!keys &&
        (error ? (
          <FailedState what="ingest keys" error={error} onRetry={() => void refetch()} />
        ) : (
          <TextSkeleton lines={4} lineHeight={48} />
        ))}
      {keys?.length === 0 && (
        <EmptyState title="No ingest keys yet" text="Create one for a shipper: Beats, rsyslog or any HTTP client." />
      )}
      {keys && keys.length > 0 && (
        <Rows aria-label="Ingest keys">
          {keys.map((key) => (
            <Row key={key.id} aria-label={key.name}>
              <div className="fields">
                <strong>
                  <VisibleText text={key.name} />
                </strong>
                <DefinitionList
                  minWidth={140}
                  facts={[
                    { name: 'Prefix', value: <MonoText>{`${key.prefix}…`}</MonoText> },
                    { name: 'Created', value: <RelativeTime at={key.createdAt} timeZone={timeZone} /> },
                    {
                      name: 'Last used',
                      value: key.lastUsedAt ? <RelativeTime at={key.lastUsedAt} timeZone={timeZone} /> : 'Never',
                    },
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
                />
              </div>
              {!key.revokedAt && (
                <span className="buttons">
                  <Button size="small" color="error" aria-label={`Revoke ${key.name}`} onClick={() => setRevoked(key)}>
                    Revoke
                  </Button>
                </span>
              )}
            </Row>
          ))}
        </Rows>
      )}
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
