/** Unsubscribes from one kind of email by its link, without a sign-in. Requires a click, as mail scanners open links too. */
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
  const unsubscribe = async () => {
    setState({ step: 'busy' });
    // Not useApiMutation: guest pages have no query client.
    try {
      const { kind } = await call(endpointDescriptors.unsubscribe, { params: { token } });
      setState({ step: 'done', kind });
    } catch (error) {
      setState({ step: 'failed', text: error instanceof Error ? error.message : String(error) });
    }
  };
  return (
    <AuthScreen text="You choose which emails you get.">
      <Plain aria-labelledby="unsubscribe-title">
        <h1 id="unsubscribe-title">{state.step === 'done' ? 'Unsubscribed' : 'Unsubscribe'}</h1>
        <div role="status" aria-live="polite">
          {state.step === 'done' ? (
            <p>
              You no longer get “{kindNames[state.kind]}” emails. Other emails are unaffected. To subscribe again, open Settings,
              Notifications in the portal.
            </p>
          ) : state.step === 'failed' ? (
            <p>Couldn’t unsubscribe you. {state.text}</p>
          ) : (
            <p>You will no longer get emails of this kind. Account security emails and all other kinds are unaffected.</p>
          )}
        </div>
        {state.step !== 'done' && (
          <Button variant="contained" size="large" loading={state.step === 'busy'} onClick={() => void unsubscribe()}>
            {state.step === 'failed' ? 'Try again' : 'Unsubscribe'}
          </Button>
        )}
      </Plain>
    </AuthScreen>
  );
}
