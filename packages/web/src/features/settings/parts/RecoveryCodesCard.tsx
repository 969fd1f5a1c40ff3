/** How many recovery codes are left, and a new set. */
import Button from '@mui/material/Button';
import { secondFactorApi } from '@parapet/contract/secondFactor.ts';
import { useState } from 'react';
import { Card } from '../../../kit/Card.tsx';
import { ConfirmDialog } from '../../../kit/ConfirmDialog.tsx';
import { Note } from '../../../kit/Note.tsx';
import { call } from '../../../lib/call.ts';
import { useFactorAction } from '../useFactorAction.ts';
import type { Factor } from './AuthenticatorCard.tsx';
import { Buttons, Stack } from './looks.ts';
import { RecoveryCodesDialog } from './RecoveryCodesDialog.tsx';

const few = 3;

export function RecoveryCodesCard({ factor: { isSet, recoveryCodesLeft: left } }: { factor: Factor }) {
  const { isBusy, run } = useFactorAction();
  const [isAsked, setAsked] = useState(false);
  const [codes, setCodes] = useState<string[]>();
  const renew = async () => {
    await run(async () => setCodes((await call(secondFactorApi.renewRecoveryCodes, {})).recoveryCodes));
    setAsked(false);
  };
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
            loading={isBusy}
            onClick={() => (left > 0 ? setAsked(true) : void renew())}
          >
            Generate new codes
          </Button>
        </Buttons>
      </Stack>
      <ConfirmDialog
        title="Generate new recovery codes?"
        isOpen={isAsked}
        isBusy={isBusy}
        onNo={() => setAsked(false)}
        onYes={() => void renew()}
      >
        The codes that you have now stop working.
      </ConfirmDialog>
      {codes && <RecoveryCodesDialog codes={codes} onClose={() => setCodes(undefined)} />}
    </Card>
  );
}
