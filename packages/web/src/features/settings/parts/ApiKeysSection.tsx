/** Keys for one's own programs: made, shown once, revoked. */
import AddRounded from '@mui/icons-material/AddRounded';
import Button from '@mui/material/Button';
import { accountApi } from '@parapet/contract/account.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Card } from '../../../kit/Card.tsx';
import { ConfirmDialog } from '../../../kit/ConfirmDialog.tsx';
import { DefinitionList } from '../../../kit/DefinitionList.tsx';
import { MonoText } from '../../../kit/Mono.tsx';
import { AbsoluteTime, RelativeTime } from '../../../kit/RelativeTime.tsx';
import { Row, Rows } from '../../../kit/rowsLook.ts';
import { TextSkeleton } from '../../../kit/Skeletons.tsx';
import { EmptyState, FailedState } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { call } from '../../../lib/call.ts';
import { SignInAgain } from '../../../lib/SignInAgain.tsx';
import { useScope } from '../../../lib/scope.ts';
import { toast } from '../../../lib/toast.ts';
import { apiKeysQuery, useAccountChanged } from '../account.queries.ts';
import { Stack } from './looks.ts';
import { NewApiKey } from './NewApiKey.tsx';

type Key = AnswerOf<typeof accountApi.apiKeys>['results'][number];

export function ApiKeysSection() {
  const { timeZone } = useScope();
  const changed = useAccountChanged();
  const { data, error, refetch } = useQuery(apiKeysQuery());
  const [isMaking, setMaking] = useState(false);
  const [isSignInNeeded, setSignInNeeded] = useState(false);
  const [revoked, setRevoked] = useState<Key>();
  const [isBusy, setBusy] = useState(false);

  const revoke = async () => {
    if (!revoked) return;
    setBusy(true);
    try {
      await call(accountApi.revokeApiKey, { params: { id: revoked.id } });
      toast.success(`The key ${revoked.name} was revoked`);
      setRevoked(undefined);
    } catch (failure) {
      toast.error(failure instanceof Error ? failure.message : 'The key could not be revoked.');
    }
    await changed('apiKeys');
    setBusy(false);
  };

  const keys = data?.results;
  return (
    <Card
      title="API keys"
      purpose="For programs that act with your rights. Whoever has a key can use it: keep it as you keep a password."
    >
      <Stack>
        <div>
          <Button variant="contained" startIcon={<AddRounded />} onClick={() => setMaking(true)}>
            New key
          </Button>
        </div>
        {!keys &&
          (error ? (
            <FailedState what="Your API keys" error={error} onRetry={() => void refetch()} />
          ) : (
            <TextSkeleton lines={3} lineHeight={48} />
          ))}
        {keys?.length === 0 && (
          <EmptyState title="No API keys yet" text="Make one for a script or a report that asks the portal’s API." />
        )}
        {keys && keys.length > 0 && (
          <Rows aria-label="API keys">
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
                      { name: 'May', value: key.access === 'read' ? 'Read' : 'Read and change' },
                      { name: 'Made', value: <RelativeTime at={key.createdAt} timeZone={timeZone} /> },
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
      {isMaking && (
        <NewApiKey
          onClose={() => setMaking(false)}
          onSignInNeeded={() => {
            setMaking(false);
            setSignInNeeded(true);
          }}
        />
      )}
      <ConfirmDialog
        isOpen={revoked !== undefined}
        title="Revoke the key?"
        isBusy={isBusy}
        onNo={() => setRevoked(undefined)}
        onYes={() => void revoke()}
      >
        From now on calls with <VisibleText text={revoked?.name ?? ''} /> ({revoked?.prefix}…) are refused. It cannot be undone.
      </ConfirmDialog>
      <SignInAgain isOpen={isSignInNeeded} onClose={() => setSignInNeeded(false)} />
    </Card>
  );
}

const isWorking = ({ revokedAt, expiresAt }: Key) => revokedAt === null && Date.parse(expiresAt) > Date.now();

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
      {isWorking(key) ? 'Works until ' : 'Ended '}
      <AbsoluteTime at={key.expiresAt} timeZone={timeZone} />
    </>
  );
}
