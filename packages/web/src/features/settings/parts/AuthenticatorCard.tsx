/** The authenticator app: turned on by its first code, turned off where nothing demands it. */
import Button from '@mui/material/Button';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { secondFactorApi } from '@parapet/contract/secondFactor.ts';
import { usersApi } from '@parapet/contract/users.ts';
import { useState } from 'react';
import { Card } from '../../../kit/Card.tsx';
import { ConfirmDialog } from '../../../kit/ConfirmDialog.tsx';
import { Note } from '../../../kit/Note.tsx';
import { call } from '../../../lib/call.ts';
import { useScope } from '../../../lib/scope.ts';
import { toast } from '../../../lib/toast.ts';
import { useFactorAction } from '../useFactorAction.ts';
import { Buttons, Stack } from './looks.ts';
import { type Enrolment, SetUpApp } from './SetUpApp.tsx';

export type Factor = AnswerOf<typeof secondFactorApi.get>;

const questions = {
  reset: {
    title: 'Reset the second factor?',
    text: 'Your authenticator app, recovery codes and passkeys stop working. You set up an authenticator app at the next sign-in.',
  },
  disable: {
    title: 'Turn off two-factor authentication?',
    text: 'Your authenticator app, recovery codes and passkeys stop working. From now on your password alone signs you in.',
  },
};

export function AuthenticatorCard({ factor }: { factor: Factor }) {
  const { user } = useScope();
  const { isBusy, run } = useFactorAction();
  const [enrolment, setEnrolment] = useState<Enrolment>();
  const [asked, setAsked] = useState<keyof typeof questions>();

  const start = () => run(async () => setEnrolment(await call(secondFactorApi.startAuthenticator, {})));
  const confirmed = async () => {
    await run(async () => {
      if (asked === 'reset') {
        await call(usersApi.resetMfa, { params: { id: user.id } });
        toast.success('MFA Reset Successfully', 'user');
      } else {
        await call(secondFactorApi.disable, {});
        toast.success('Two-factor authentication is off', 'user');
      }
    });
    setAsked(undefined);
  };

  return (
    <Card title="Authenticator app" purpose="A six-digit code from your phone, asked for after your password.">
      <Stack>
        <Note tone={factor.isSet ? 'info' : 'warning'}>{stateOf(factor)}</Note>
        <Buttons>
          {factor.isSet ? (
            <>
              <Button variant="outlined" onClick={() => setAsked('reset')}>
                Reset MFA
              </Button>
              {!factor.isRequired && (
                <Button color="error" onClick={() => setAsked('disable')}>
                  Turn off
                </Button>
              )}
            </>
          ) : (
            <Button variant="contained" loading={isBusy} onClick={() => void start()}>
              Set up authenticator app
            </Button>
          )}
        </Buttons>
      </Stack>
      {enrolment && <SetUpApp enrolment={enrolment} onClose={() => setEnrolment(undefined)} />}
      <ConfirmDialog
        title={asked ? questions[asked].title : ''}
        isOpen={asked !== undefined}
        isBusy={isBusy}
        onNo={() => setAsked(undefined)}
        onYes={() => void confirmed()}
      >
        {asked && questions[asked].text}
      </ConfirmDialog>
    </Card>
  );
}

function stateOf({ isSet, isRequired }: Factor): string {
  if (!isSet)
    return isRequired
      ? 'Not set up. Your organisation requires it: you set it up at the next sign-in, or now.'
      : 'Not set up. Your password alone signs you in.';
  return isRequired
    ? 'On. Your organisation requires it, so it can’t be turned off.'
    : 'On. Each sign-in with your password asks for a code.';
}
