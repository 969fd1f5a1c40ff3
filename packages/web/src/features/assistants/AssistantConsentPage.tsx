/** Consent to an assistant (/assistants/…), to which the authorization server leads the browser. The user is signed in. */
import Button from '@mui/material/Button';
import { type AssistantScope, assistantsApi } from '@parapet/contract/assistants.ts';
import { QueryClientProvider, useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { VisibleText } from '../../kit/VisibleText.tsx';
import { assistantScopeTexts } from '../../lib/assistantScopes.ts';
import { queryOptionsOf } from '../../lib/query.ts';
import { session } from '../../lib/session.ts';
import { sessionQueries } from '../../lib/sessionQueries.ts';
import { useTitle } from '../../lib/title.ts';
import { useApiMutation } from '../../lib/useApiMutation.ts';
import { AuthScreen } from '../auth/parts/AuthScreen.tsx';
import { Plain } from '../auth/parts/login.styles.tsx';

/** Outside the shell, which provides the queries of the other pages. */
export function AssistantConsentPage() {
  const queries = sessionQueries();
  return (
    queries && (
      <QueryClientProvider client={queries}>
        <Consent />
      </QueryClientProvider>
    )
  );
}

function Consent() {
  useTitle('Connect an assistant');
  const { uid = '' } = useParams({ strict: false }) as { uid?: string };
  const { data, error } = useQuery({ ...queryOptionsOf(assistantsApi.consent, { params: { uid } }), retry: false });
  const decide = useApiMutation(assistantsApi.decide, {
    failure: 'Couldn’t save your decision.',
    onSuccess: ({ returnTo }) => location.assign(returnTo),
  });
  const isBusy = decide.isPending || decide.isSuccess;
  const answer = (isAllowed: boolean) => decide.mutate({ params: { uid }, body: { isAllowed } });
  return (
    <AuthScreen text="Connect an assistant that acts with your rights.">
      <Plain aria-labelledby="assistant-title">
        <h1 id="assistant-title">Connect an assistant</h1>
        <div role="status" aria-live="polite">
          {!data && !error && <p>Checking the request…</p>}
          {error && (
            <p>This request was answered already, has expired, or began in another browser. Start again at the assistant.</p>
          )}
        </div>
        {data && (
          <>
            <p>
              <b>
                <VisibleText text={data.client} />
              </b>{' '}
              asks for access as <VisibleText text={emailOfUser()} />. Its name is unverified; the access goes to{' '}
              <b>
                <VisibleText text={data.isLocal ? 'a program on this device' : data.redirectHost} />
              </b>
              .
            </p>
            <Access scopes={data.scopes} />
            <p>Continue only if you started this yourself. You can end the access under Settings › API keys.</p>
            <div style={{ display: 'flex', gap: 8 }}>
              <Button variant="contained" loading={isBusy} onClick={() => answer(true)}>
                Allow access
              </Button>
              <Button disabled={isBusy} onClick={() => answer(false)}>
                Deny
              </Button>
            </div>
          </>
        )}
      </Plain>
    </AuthScreen>
  );
}

function emailOfUser(): string {
  const state = session.state();
  return state.status === 'signedIn' ? state.user.emailAddress : '';
}

const Access = ({ scopes }: { scopes: readonly AssistantScope[] }) => (
  <ul aria-label="Access">
    {scopes.map((scope) => (
      <li key={scope}>{assistantScopeTexts[scope].text}</li>
    ))}
  </ul>
);
