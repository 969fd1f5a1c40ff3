/** One's own second factor: whether it is set up, and how to begin anew with another device. */
import Button from '@mui/material/Button';
import { usersApi } from '@parapet/contract/users.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Card } from '../../../kit/Card.tsx';
import { ConfirmDialog } from '../../../kit/ConfirmDialog.tsx';
import { Note } from '../../../kit/Note.tsx';
import { TextSkeleton } from '../../../kit/Skeletons.tsx';
import { FailedState } from '../../../kit/States.tsx';
import { call } from '../../../lib/call.ts';
import { needsSignIn, SignInAgain } from '../../../lib/SignInAgain.tsx';
import { useScope } from '../../../lib/scope.ts';
import { toast } from '../../../lib/toast.ts';
import { ownUserQuery, useAccountChanged } from '../account.queries.ts';
import { Stack } from './looks.ts';

export function SecondFactorSection() {
  const { user } = useScope();
  const changed = useAccountChanged();
  const { data, error, refetch } = useQuery(ownUserQuery(user.clientOrganizationID, user.id));
  const [isAsked, setAsked] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [isSignInNeeded, setSignInNeeded] = useState(false);

  const reset = async () => {
    setBusy(true);
    try {
      await call(usersApi.resetMfa, { params: { id: user.id } });
      toast.success('MFA Reset Successfully', 'user');
      await changed('user');
    } catch (failure) {
      const status = (failure as { status?: number }).status ?? 0;
      if (needsSignIn(failure)) setSignInNeeded(true);
      else toast.error(status >= 500 || !(failure instanceof Error) ? 'MFA Reset failed' : failure.message, 'user');
    }
    setAsked(false);
    setBusy(false);
  };

  return (
    <Card title="Second factor" purpose="A code of an authenticator app, beside the password.">
      {!data &&
        (error ? (
          <FailedState what="Your second factor" error={error} onRetry={() => void refetch()} />
        ) : (
          <TextSkeleton lines={2} lineHeight={36} />
        ))}
      {data && (
        <Stack>
          <Note tone={data.mfaIsSet ? 'info' : 'warning'}>
            {data.mfaIsSet
              ? 'Set up: each sign-in with your password asks for a code.'
              : 'Not set up. Where your organisation asks for one, it is set up at the next sign-in.'}
          </Note>
          <div>
            <Button variant="outlined" disabled={!data.mfaIsSet || !data.can.resetMfa} onClick={() => setAsked(true)}>
              Reset MFA
            </Button>
          </div>
        </Stack>
      )}
      <ConfirmDialog
        title="Reset the second factor?"
        isOpen={isAsked}
        isBusy={isBusy}
        onNo={() => setAsked(false)}
        onYes={() => void reset()}
      >
        You set up an authenticator app anew at the next sign-in. What is set up now stops working.
      </ConfirmDialog>
      <SignInAgain isOpen={isSignInNeeded} onClose={() => setSignInNeeded(false)} />
    </Card>
  );
}
