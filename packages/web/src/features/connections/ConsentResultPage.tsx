/** End of a consent (/connect/result), to which the portal redirects from the vendor. The outcome stands in the address. */
import Button from '@mui/material/Button';
import type { ConsentOutcome } from '@parapet/contract/connectionInvites.ts';
import { useTitle } from '../../lib/title.ts';
import { AuthScreen } from '../auth/parts/AuthScreen.tsx';
import { Plain } from '../auth/parts/login.styles.tsx';
import { recalledLink } from './consentLink.ts';

interface Outcome {
  title: string;
  text: string;
  /** True where the same link may succeed. */
  mayRetry: boolean;
}

const notConnected = 'Not connected';
const outcomes: Record<ConsentOutcome, Outcome> = {
  connected: {
    title: 'Connected',
    text: 'The consent was given and the connection works. Its events arrive within minutes. You can close this page.',
    mayRetry: false,
  },
  untested: {
    title: 'Consent given',
    text: 'The first test of the connection was refused. A new consent can take some minutes to reach all services of Microsoft. The portal keeps trying for 15 minutes; then it notifies the sender of the invitation. You can close this page.',
    mayRetry: false,
  },
  cancelled: {
    title: notConnected,
    text: 'The sign-in or the consent was cancelled at Microsoft.',
    mayRetry: true,
  },
  expired: {
    title: notConnected,
    text: 'This step was used already, took longer than 15 minutes or began in another browser. Start again from the link in the email.',
    mayRetry: true,
  },
  gone: {
    title: notConnected,
    text: 'The invitation was used, was revoked or has expired. Ask its sender for another one.',
    mayRetry: false,
  },
  notAdministrator: {
    title: notConnected,
    text: 'Your account isn’t a Global Administrator or Privileged Role Administrator of its tenant. Sign in with such an account. If yours has one of these roles, tell the sender of the invitation that the application must include directory roles in its tokens.',
    mayRetry: true,
  },
  otherTenant: {
    title: notConnected,
    text: 'The response belongs to another tenant than the one that signed in or was invited. Sign in with an account of the invited tenant.',
    mayRetry: true,
  },
  taken: {
    title: notConnected,
    text: 'This tenant is connected for another client already, and a tenant belongs to one client only. Ask the sender of the invitation.',
    mayRetry: true,
  },
  nameTaken: {
    title: notConnected,
    text: 'A connection of this name exists already. Ask the sender for another invitation.',
    mayRetry: false,
  },
  tooMany: {
    title: notConnected,
    text: 'Too many attempts came from your network. Wait a minute, then start again from the link in the email.',
    mayRetry: true,
  },
  failed: {
    title: notConnected,
    text: 'Microsoft’s response couldn’t be verified. Start again from the link in the email.',
    mayRetry: true,
  },
};

const isOutcome = (value: string | null): value is ConsentOutcome => value !== null && Object.hasOwn(outcomes, value);

export function ConsentResultPage() {
  useTitle('Connect a service');
  const given = new URLSearchParams(window.location.search).get('outcome');
  const { title, text, mayRetry } = outcomes[isOutcome(given) ? given : 'failed'];
  const link = mayRetry ? recalledLink() : undefined;
  return (
    <AuthScreen text="Connect a service, so that its events are watched.">
      <Plain aria-labelledby="consent-title">
        <h1 id="consent-title">{title}</h1>
        <p role="status">{text}</p>
        {link !== undefined && (
          <Button href={link} variant="contained" size="large">
            Start again
          </Button>
        )}
      </Plain>
    </AuthScreen>
  );
}
