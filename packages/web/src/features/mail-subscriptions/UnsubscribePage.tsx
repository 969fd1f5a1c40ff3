/** Ends one kind of mail by the link in it, for everybody. A press is asked for: mail scanners open links too. */
import Button from '@mui/material/Button';
import type { SubscriptionKind } from '@parapet/contract/mailSubscriptions.ts';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../lib/call.ts';
import { endpointDescriptors } from '../../lib/endpointDescriptors.ts';
import { useTitle } from '../../lib/title.ts';
import { AuthScreen } from '../auth/parts/AuthScreen.tsx';
import { Plain } from '../auth/parts/login.styles.tsx';
import { kindNames } from './kindNames.ts';

type State = { step: 'ready' | 'busy' } | { step: 'done'; kind: SubscriptionKind } | { step: 'failed'; text: string };

export function UnsubscribePage() {
  useTitle('Unsubscribe');
  const { token = '' } = useParams({ strict: false }) as { token?: string };
  const [state, setState] = useState<State>({ step: 'ready' });
  const end = async () => {
    setState({ step: 'busy' });
    try {
      const { kind } = await call(endpointDescriptors.unsubscribe, { params: { token } });
      setState({ step: 'done', kind });
    } catch (error) {
      setState({ step: 'failed', text: error instanceof Error ? error.message : String(error) });
    }
  };
  return (
    <AuthScreen title="Security operations, in one place" text="You choose which mails you get.">
      <Plain aria-labelledby="unsubscribe-title">
        <h1 id="unsubscribe-title">{state.step === 'done' ? 'Unsubscribed' : 'Unsubscribe'}</h1>
        <div role="status" aria-live="polite">
          {state.step === 'done' ? (
            <p>
              You get no more mails of the kind “{kindNames[state.kind]}”. All others go on. You can have them again: in the
              portal, under Settings, Notifications.
            </p>
          ) : state.step === 'failed' ? (
            <p>It could not be ended. {state.text}</p>
          ) : (
            <p>
              Press the button, and mails of this kind end for you. Mails about your account’s safety and all other kinds go on.
            </p>
          )}
        </div>
        {state.step !== 'done' && (
          <Button variant="contained" size="large" loading={state.step === 'busy'} onClick={() => void end()}>
            {state.step === 'failed' ? 'Try again' : 'End these mails'}
          </Button>
        )}
      </Plain>
    </AuthScreen>
  );
}
