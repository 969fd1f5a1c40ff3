/** Confirms the revocation of an API key and, optionally, of the keys created with it. */
import Checkbox from '@mui/material/Checkbox';
import FormControlLabel from '@mui/material/FormControlLabel';
import type { accountApi } from '@parapet/contract/account.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../../../kit/ConfirmDialog.tsx';
import { MonoText } from '../../../kit/Mono.tsx';
import { FailedState } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { mintedQuery, useRevokeApiKey } from '../account.queries.ts';

type Key = AnswerOf<typeof accountApi.apiKeys>['results'][number];

const kinds = { ingestKey: 'Ingest key', enrolmentToken: 'Enrolment token' } as const;

export function RevokeApiKey({ apiKey, onClose }: { apiKey: Key; onClose: () => void }) {
  const revocation = useRevokeApiKey(apiKey.name);
  const [withMinted, setWithMinted] = useState(false);
  const minted = useQuery({ ...mintedQuery(apiKey.id), enabled: apiKey.minted > 0 });
  const working = minted.data?.results.filter(({ revokedAt }) => revokedAt === null) ?? [];

  const revoke = () =>
    revocation.mutate(
      { params: { id: apiKey.id }, query: { withMinted: withMinted ? 'true' : 'false' } },
      { onSuccess: onClose },
    );

  return (
    <ConfirmDialog isOpen title="Revoke the key?" isBusy={revocation.isPending} onNo={onClose} onYes={revoke}>
      Requests with <VisibleText text={apiKey.name} /> ({apiKey.prefix}…) will be rejected. This cannot be undone.
      {minted.error && (
        <FailedState what="keys created with this one" error={minted.error} onRetry={() => void minted.refetch()} />
      )}
      {working.length > 0 && (
        <>
          <p>Active keys created with it:</p>
          <ul style={{ maxHeight: 180, overflow: 'auto', paddingLeft: 20 }}>
            {working.map((one) => (
              <li key={`${one.kind}${one.id}`}>
                {kinds[one.kind]} <VisibleText text={one.name} /> (<MonoText>{`${one.prefix}…`}</MonoText>),{' '}
                <VisibleText text={one.clientOrganizationName} />
              </li>
            ))}
          </ul>
          <FormControlLabel
            label="Revoke these keys too"
            control={<Checkbox size="small" checked={withMinted} onChange={(event) => setWithMinted(event.target.checked)} />}
          />
        </>
      )}
    </ConfirmDialog>
  );
}
