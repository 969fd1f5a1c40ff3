/** The user’s passkeys. Each replaces the authenticator code at the host where it was added. */
import Button from '@mui/material/Button';
import { useState } from 'react';
import { Card } from '../../../kit/Card.tsx';
import { ConfirmDialog } from '../../../kit/ConfirmDialog.tsx';
import { AddRounded } from '../../../kit/icons/AddRounded.tsx';
import { MonoText } from '../../../kit/Mono.tsx';
import { AbsoluteTime, TimeOrNever } from '../../../kit/RelativeTime.tsx';
import { FactRow } from '../../../kit/RowList.tsx';
import { Nothing, Rows } from '../../../kit/rows.styles.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { canUsePasskeys } from '../../../lib/passkeys.ts';
import { useScope } from '../../../lib/scope.ts';
import { useRemovePasskey } from '../account.queries.ts';
import { AddPasskey } from './AddPasskey.tsx';
import type { Factor } from './AuthenticatorCard.tsx';
import { Buttons, Stack } from './settings.styles.ts';

type Passkey = Factor['passkeys'][number];

/** Reason why no passkey can be added; undefined when one can. */
function obstacleOf({ isSet, host }: Factor): string | undefined {
  if (!isSet) return 'Set up an authenticator app first.';
  if (!canUsePasskeys()) return 'This browser doesn’t support passkeys.';
  if (host === '') return 'Passkeys can’t be used at this address. Open the portal at its own address.';
  return undefined;
}

export function PasskeysCard({ factor }: { factor: Factor }) {
  const { timeZone } = useScope();
  const remove = useRemovePasskey();
  const [isAdding, setAdding] = useState(false);
  const [removed, setRemoved] = useState<Passkey>();
  const obstacle = obstacleOf(factor);

  return (
    <Card
      title="Passkeys"
      purpose="Your device or a security key in place of the six-digit code. A passkey works at the address where it was added."
    >
      <Stack>
        {factor.passkeys.length === 0 ? (
          <Nothing>{obstacle ?? 'No passkeys yet.'}</Nothing>
        ) : (
          <Rows aria-label="Passkeys">
            {factor.passkeys.map((passkey) => (
              <FactRow
                key={passkey.id}
                name={passkey.name}
                minWidth={150}
                facts={[
                  { name: 'Works at', value: <MonoText>{passkey.host}</MonoText> },
                  { name: 'Added', value: <AbsoluteTime at={passkey.createdAt} timeZone={timeZone} /> },
                  {
                    name: 'Last used',
                    value: <TimeOrNever at={passkey.lastUsedAt} timeZone={timeZone} />,
                  },
                ]}
                action={{ text: 'Remove', onClick: () => setRemoved(passkey) }}
              />
            ))}
          </Rows>
        )}
        <Buttons>
          <Button variant="outlined" startIcon={<AddRounded />} disabled={obstacle !== undefined} onClick={() => setAdding(true)}>
            Add passkey
          </Button>
        </Buttons>
        {factor.passkeys.length > 0 && obstacle !== undefined && <Nothing>{obstacle}</Nothing>}
      </Stack>
      {isAdding && <AddPasskey host={factor.host} onClose={() => setAdding(false)} />}
      <ConfirmDialog
        title="Remove the passkey?"
        isOpen={removed !== undefined}
        isBusy={remove.isPending}
        onNo={() => setRemoved(undefined)}
        onYes={() => removed && remove.mutate({ params: { id: removed.id } }, { onSettled: () => setRemoved(undefined) })}
      >
        <VisibleText text={removed?.name ?? ''} /> no longer works at {removed?.host}. Delete it on your device too.
      </ConfirmDialog>
    </Card>
  );
}
