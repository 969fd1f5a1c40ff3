/** Asks before an API key is revoked, and whether what it created goes with it. */
import Checkbox from '@mui/material/Checkbox';
import FormControlLabel from '@mui/material/FormControlLabel';
import { accountApi } from '@parapet/contract/account.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../../../kit/ConfirmDialog.tsx';
import { MonoText } from '../../../kit/Mono.tsx';
import { FailedState } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { call } from '../../../lib/call.ts';
import { toast } from '../../../lib/toast.ts';
import { mintedQuery, useAccountChanged } from '../account.queries.ts';

type Key = AnswerOf<typeof accountApi.apiKeys>['results'][number];

const kinds = { ingestKey: 'Ingest key', enrolmentToken: 'Enrolment token' } as const;

export function RevokeApiKey({ apiKey, onClose }: { apiKey: Key; onClose: () => void }) {
  const changed = useAccountChanged();
  const [withMinted, setWithMinted] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const minted = useQuery({ ...mintedQuery(apiKey.id), enabled: apiKey.minted > 0 });
  const working = minted.data?.results.filter(({ revokedAt }) => revokedAt === null) ?? [];

  const revoke = async () => {
    setBusy(true);
    try {
      const { revoked } = await call(accountApi.revokeApiKey, {
        params: { id: apiKey.id },
        query: { withMinted: withMinted ? 'true' : 'false' },
      });
      toast.success(
        revoked > 0 ? `${apiKey.name} and ${revoked} keys it created were revoked` : `The key ${apiKey.name} was revoked`,
      );
      onClose();
    } catch (failure) {
      toast.error(failure instanceof Error ? failure.message : 'Couldn’t revoke the key. Try again.');
    }
    await changed('apiKeys');
    setBusy(false);
  };

  return (
    <ConfirmDialog isOpen title="Revoke the key?" isBusy={isBusy} onNo={onClose} onYes={() => void revoke()}>
      From now on calls with <VisibleText text={apiKey.name} /> ({apiKey.prefix}…) are refused. It cannot be undone.
      {minted.error && (
        <FailedState what="keys created with this one" error={minted.error} onRetry={() => void minted.refetch()} />
      )}
      {working.length > 0 && (
        <>
          <p>These were created with it and still work:</p>
          <ul style={{ maxHeight: 180, overflow: 'auto', paddingLeft: 20 }}>
            {working.map((one) => (
              <li key={`${one.kind}${one.id}`}>
                {kinds[one.kind]} <VisibleText text={one.name} /> (<MonoText>{`${one.prefix}…`}</MonoText>),{' '}
                <VisibleText text={one.clientOrganizationName} />
              </li>
            ))}
          </ul>
          <FormControlLabel
            label="Revoke these as well"
            control={<Checkbox size="small" checked={withMinted} onChange={(event) => setWithMinted(event.target.checked)} />}
          />
        </>
      )}
    </ConfirmDialog>
  );
}
