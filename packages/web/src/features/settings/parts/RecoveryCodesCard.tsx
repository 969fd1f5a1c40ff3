/** Number of recovery codes left, and a button that generates a new set. */
import Button from '@mui/material/Button';
import { useState } from 'react';
import { Card } from '../../../kit/Card.tsx';
import { ConfirmDialog } from '../../../kit/ConfirmDialog.tsx';
import { Note } from '../../../kit/Note.tsx';
import { useRenewRecoveryCodes } from '../account.queries.ts';
import type { Factor } from './AuthenticatorCard.tsx';
import { RecoveryCodesDialog } from './RecoveryCodesDialog.tsx';
import { Buttons, Stack } from './settings.styles.ts';

const few = 3;

export function RecoveryCodesCard({ factor: { isSet, recoveryCodesLeft: left } }: { factor: Factor }) {
  const renewal = useRenewRecoveryCodes();
  const [isConfirming, setConfirming] = useState(false);
  const [codes, setCodes] = useState<string[]>();
  const renew = () =>
    renewal.mutate({}, { onSuccess: ({ recoveryCodes }) => setCodes(recoveryCodes), onSettled: () => setConfirming(false) });
  return (
    <Card title="Recovery codes" purpose="For signing in without your phone. Each works once.">
      <Stack>
        <Note tone={isSet && left <= few ? 'warning' : 'info'}>
          {isSet
            ? left === 0
              ? 'No recovery codes left.'
              : `${left} of 10 recovery codes left.`
            : 'You get recovery codes when you set up an authenticator app.'}
        </Note>
        <Buttons>
          <Button
            variant="outlined"
            disabled={!isSet}
            loading={renewal.isPending}
            onClick={() => (left > 0 ? setConfirming(true) : renew())}
          >
            Generate new codes
          </Button>
        </Buttons>
      </Stack>
      <ConfirmDialog
        title="Generate new recovery codes?"
        isOpen={isConfirming}
        isBusy={renewal.isPending}
        onNo={() => setConfirming(false)}
        onYes={renew}
      >
        Your current codes stop working.
      </ConfirmDialog>
      {codes && <RecoveryCodesDialog codes={codes} onClose={() => setCodes(undefined)} />}
    </Card>
  );
}
