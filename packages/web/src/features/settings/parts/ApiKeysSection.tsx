/** The user’s API keys. */
import Button from '@mui/material/Button';
import type { accountApi } from '@parapet/contract/account.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Card } from '../../../kit/Card.tsx';
import { AddRounded } from '../../../kit/icons/AddRounded.tsx';
import { MonoText } from '../../../kit/Mono.tsx';
import { AbsoluteTime, RelativeTime, TimeOrNever } from '../../../kit/RelativeTime.tsx';
import { FactRow, RowList } from '../../../kit/RowList.tsx';
import { EmptyState } from '../../../kit/States.tsx';
import { useScope } from '../../../lib/scope.ts';
import { apiKeysQuery } from '../account.queries.ts';
import { Assistants } from './Assistants.tsx';
import { scopeLabels } from './apiKeyScopes.ts';
import { NewApiKey } from './NewApiKey.tsx';
import { RevokeApiKey } from './RevokeApiKey.tsx';
import { Stack } from './settings.styles.ts';

type Key = AnswerOf<typeof accountApi.apiKeys>['results'][number];

export function ApiKeysSection() {
  const { timeZone } = useScope();
  const query = useQuery(apiKeysQuery());
  const [isCreating, setCreating] = useState(false);
  const [revoked, setRevoked] = useState<Key>();
  return (
    <>
      <Card isWide title="API keys" purpose="For programs that act with your rights. Store a key like a password.">
        <Stack>
          <div>
            <Button variant="contained" startIcon={<AddRounded />} onClick={() => setCreating(true)}>
              New key
            </Button>
          </div>
          <RowList
            label="API keys"
            what="API keys"
            query={query}
            empty={<EmptyState title="No API keys yet" text="Create one for a script or a report that uses the portal’s API." />}
          >
            {(key) => (
              <FactRow
                key={key.id}
                name={key.name}
                facts={[
                  { name: 'Prefix', value: <MonoText>{`${key.prefix}…`}</MonoText> },
                  { name: 'Scopes', value: key.scopes.map((scope) => scopeLabels[scope].title).join(', ') },
                  { name: 'Addresses', value: key.addressRanges.join(', ') || 'Any' },
                  { name: 'Created', value: <RelativeTime at={key.createdAt} timeZone={timeZone} /> },
                  {
                    name: 'Last used',
                    value: <TimeOrNever at={key.lastUsedAt} timeZone={timeZone} />,
                  },
                  { name: 'State', value: <State apiKey={key} timeZone={timeZone} /> },
                ]}
                action={isWorking(key) && { text: 'Revoke', onClick: () => setRevoked(key) }}
              />
            )}
          </RowList>
        </Stack>
        {isCreating && <NewApiKey onClose={() => setCreating(false)} />}
        {revoked && <RevokeApiKey apiKey={revoked} onClose={() => setRevoked(undefined)} />}
      </Card>
      <Assistants />
    </>
  );
}

const isWorking = ({ revokedAt, expiresAt }: Key) => revokedAt === null && Date.parse(expiresAt) > Date.now();

/** Matches the email notice to the owner. */
const noticeMs = 14 * dayMs;
const expiresSoon = ({ expiresAt }: Key) => Date.parse(expiresAt) - Date.now() < noticeMs;

function State({ apiKey: key, timeZone }: { apiKey: Key; timeZone: string }) {
  if (key.revokedAt) {
    return (
      <>
        Revoked <RelativeTime at={key.revokedAt} timeZone={timeZone} />
      </>
    );
  }
  return (
    <>
      {isWorking(key) ? (expiresSoon(key) ? 'Expires soon: ' : 'Expires ') : 'Expired '}
      <AbsoluteTime at={key.expiresAt} timeZone={timeZone} />
    </>
  );
}
