/** The keys by which shippers send events for an organisation: made, shown once, revoked. */
import AddRounded from '@mui/icons-material/AddRounded';
import Button from '@mui/material/Button';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { ingestKeysApi } from '@parapet/contract/ingest-keys.ts';
import type { ClientDetails } from '@parapet/contract/organisations.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../../../kit/ConfirmDialog.tsx';
import { DefinitionList } from '../../../kit/DefinitionList.tsx';
import { MonoText } from '../../../kit/Mono.tsx';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { Row, Rows } from '../../../kit/rows.styles.ts';
import { TextSkeleton } from '../../../kit/Skeletons.tsx';
import { EmptyState, FailedState } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { call } from '../../../lib/call.ts';
import { useScope } from '../../../lib/scope.ts';
import { toast } from '../../../lib/toast.ts';
import { ingestKeysQuery, useDetailsChanged } from '../organisations.queries.ts';
import { NewKeyDialog } from './NewKeyDialog.tsx';

type Key = AnswerOf<typeof ingestKeysApi.list>['results'][number];

export function IngestKeysTab({ details }: { details: ClientDetails }) {
  const { timeZone } = useScope();
  const changed = useDetailsChanged();
  const { data, error, refetch } = useQuery(ingestKeysQuery(details.id));
  const [isMaking, setMaking] = useState(false);
  const [revoked, setRevoked] = useState<Key>();
  const [isBusy, setBusy] = useState(false);

  const revoke = async () => {
    if (!revoked) return;
    setBusy(true);
    try {
      await call(ingestKeysApi.revoke, { params: { client: details.id, key: revoked.id } });
      toast.success(`The key ${revoked.name} was revoked`);
      await changed.keys(details.id);
      setRevoked(undefined);
    } catch (failure) {
      toast.error(failure instanceof Error ? failure.message : 'The key could not be revoked.');
    }
    setBusy(false);
  };

  const keys = data?.results;
  return (
    <div style={{ display: 'grid', gap: 16 }}>
      <div>
        <Button variant="contained" startIcon={<AddRounded />} onClick={() => setMaking(true)}>
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
        <EmptyState
          title="No ingest keys yet"
          text="Make one, and give it to a shipper: Beats, rsyslog, or anything that speaks HTTP."
        />
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
                    { name: 'Begins with', value: <MonoText>{`${key.prefix}…`}</MonoText> },
                    { name: 'Made', value: <RelativeTime at={key.createdAt} timeZone={timeZone} /> },
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
                        'Works'
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
      {isMaking && <NewKeyDialog details={details} onClose={() => setMaking(false)} />}
      <ConfirmDialog
        isOpen={revoked !== undefined}
        title="Revoke the key?"
        isBusy={isBusy}
        onNo={() => setRevoked(undefined)}
        onYes={() => void revoke()}
      >
        What is sent with <VisibleText text={revoked?.name ?? ''} /> ({revoked?.prefix}…) from now on is refused, and its shippers
        stop. It cannot be undone.
      </ConfirmDialog>
    </div>
  );
}
