/** Authenticator app: set up, reset and, unless required by policy, turned off. */
import Button from '@mui/material/Button';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import type { secondFactorApi } from '@parapet/contract/secondFactor.ts';
import { useState } from 'react';
import { Card } from '../../../kit/Card.tsx';
import { ConfirmDialog } from '../../../kit/ConfirmDialog.tsx';
import { Note } from '../../../kit/Note.tsx';
import { useScope } from '../../../lib/scope.ts';
import { useDisableMfa, useResetOwnMfa, useStartAuthenticator } from '../account.queries.ts';
import { type Enrolment, SetUpApp } from './SetUpApp.tsx';
import { Buttons, Stack } from './settings.styles.ts';

export type Factor = AnswerOf<typeof secondFactorApi.get>;

const questions = {
  reset: {
    title: 'Reset MFA?',
    text: 'Your authenticator app, recovery codes and passkeys stop working. You set up an authenticator app at the next sign-in.',
  },
  disable: {
    title: 'Turn off MFA?',
    text: 'Your authenticator app, recovery codes and passkeys stop working. From now on your password alone signs you in.',
  },
};

export function AuthenticatorCard({ factor }: { factor: Factor }) {
  const { user } = useScope();
  const [start, reset, disable] = [useStartAuthenticator(), useResetOwnMfa(), useDisableMfa()];
  const [enrolment, setEnrolment] = useState<Enrolment>();
  const [confirming, setConfirming] = useState<keyof typeof questions>();

  const close = () => setConfirming(undefined);
  const confirm = () =>
    confirming === 'reset'
      ? reset.mutate({ params: { id: user.id } }, { onSettled: close })
      : disable.mutate({}, { onSettled: close });

  return (
    <Card title="Authenticator app" purpose="A six-digit code from your phone, required after your password.">
      <Stack>
        <Note tone={factor.isSet ? 'info' : 'warning'}>{stateOf(factor)}</Note>
        <Buttons>
          {factor.isSet ? (
            <>
              <Button variant="outlined" onClick={() => setConfirming('reset')}>
                Reset MFA
              </Button>
              {!factor.isRequired && (
                <Button color="error" onClick={() => setConfirming('disable')}>
                  Turn off
                </Button>
              )}
            </>
          ) : (
            <Button variant="contained" loading={start.isPending} onClick={() => start.mutate({}, { onSuccess: setEnrolment })}>
              Set up authenticator app
            </Button>
          )}
        </Buttons>
      </Stack>
      {enrolment && <SetUpApp enrolment={enrolment} onClose={() => setEnrolment(undefined)} />}
      <ConfirmDialog
        title={confirming ? questions[confirming].title : ''}
        isOpen={confirming !== undefined}
        isBusy={reset.isPending || disable.isPending}
        onNo={close}
        onYes={confirm}
      >
        {confirming && questions[confirming].text}
      </ConfirmDialog>
    </Card>
  );
}

function stateOf({ isSet, isRequired }: Factor): string {
  if (!isSet)
    return isRequired
      ? 'Not set up. Your organisation requires it: set it up now or at the next sign-in.'
      : 'Not set up. Your password alone signs you in.';
  return isRequired
    ? 'On. Your organisation requires it, so it can’t be turned off.'
    : 'On. Each sign-in with your password requires a code.';
}
