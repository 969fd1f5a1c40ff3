/** The user’s API keys. */
import Button from '@mui/material/Button';
import type { accountApi } from '@parapet/contract/account.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Card } from '../../../kit/Card.tsx';
import { DefinitionList } from '../../../kit/DefinitionList.tsx';
import { AddRounded } from '../../../kit/icons/AddRounded.tsx';
import { MonoText } from '../../../kit/Mono.tsx';
import { AbsoluteTime, RelativeTime } from '../../../kit/RelativeTime.tsx';
import { Row, Rows } from '../../../kit/rows.styles.ts';
import { TextSkeleton } from '../../../kit/Skeletons.tsx';
import { EmptyState, FailedState } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
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
  const { data, error, refetch } = useQuery(apiKeysQuery());
  const [isCreating, setCreating] = useState(false);
  const [revoked, setRevoked] = useState<Key>();

  const keys = data?.results;
  return (
    <>
      <Card isWide title="API keys" purpose="For programs that act with your rights. Store a key like a password.">
        <Stack>
          <div>
            <Button variant="contained" startIcon={<AddRounded />} onClick={() => setCreating(true)}>
              New key
            </Button>
          </div>
          {!keys &&
            (error ? (
              <FailedState what="API keys" error={error} onRetry={() => void refetch()} />
            ) : (
              <TextSkeleton lines={3} lineHeight={48} />
            ))}
          {keys?.length === 0 && (
            <EmptyState title="No API keys yet" text="Create one for a script or a report that uses the portal’s API." />
          )}
          {keys && keys.length > 0 && (
            <Rows aria-label="API keys">
              {keys.map((key) => (
                <Row key={key.id} aria-label={key.name}>
                  <div className="fields">
                    <strong style={{ display: 'block', marginBottom: 8 }}>
                      <VisibleText text={key.name} />
                    </strong>
                    <DefinitionList
                      minWidth={140}
                      facts={[
                        { name: 'Prefix', value: <MonoText>{`${key.prefix}…`}</MonoText> },
                        { name: 'Scopes', value: key.scopes.map((scope) => scopeLabels[scope].title).join(', ') },
                        { name: 'Addresses', value: key.addressRanges.join(', ') || 'Any' },
                        { name: 'Created', value: <RelativeTime at={key.createdAt} timeZone={timeZone} /> },
                        {
                          name: 'Last used',
                          value: key.lastUsedAt ? <RelativeTime at={key.lastUsedAt} timeZone={timeZone} /> : 'Never',
                        },
                        { name: 'State', value: <State apiKey={key} timeZone={timeZone} /> },
                      ]}
                    />
                  </div>
                  {isWorking(key) && (
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
const noticeMs = 14 * 86_400_000;
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
