/** Consent of a client’s administrator: what is granted, the steps at Microsoft, and the way there. */
import Button from '@mui/material/Button';
import type { connectionInvitesApi } from '@parapet/contract/connectionInvites.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { type SyntheticEvent, useState } from 'react';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { call } from '../../../lib/call.ts';
import { endpointDescriptors } from '../../../lib/endpointDescriptors.ts';
import { Form } from '../../auth/parts/login.styles.tsx';
import { rememberLink } from '../consentLink.ts';
import { Steps } from './Instructions.tsx';
import { InvitedClient } from './InvitedClient.tsx';
import { Permissions } from './Permissions.tsx';

type Invite = AnswerOf<typeof connectionInvitesApi.open>;

interface Props {
  token: string;
  invite: Invite;
  consent: NonNullable<Invite['consent']>;
  /** Opens the form of values instead. */
  onForm: () => void;
}

export function ConsentStep({ token, invite: { kind, client, name, invitedBy }, consent, onForm }: Props) {
  const [refusal, setRefusal] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const begin = async (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    setRefusal(undefined);
    try {
      const { url } = await call(endpointDescriptors.beginConsent, { body: { token } });
      rememberLink(token);
      window.location.assign(url);
    } catch (error) {
      setRefusal(error instanceof Error ? error.message : String(error));
      setBusy(false);
    }
  };
  return (
    <Form onSubmit={begin} noValidate aria-labelledby="connect-title">
      <h1 id="connect-title">Connect {kind.title}</h1>
      <p>
        <InvitedClient client={client} invitedBy={invitedBy} />. You grant the permissions at Microsoft for the connection{' '}
        <VisibleText text={name} />; no password or secret is entered here.
      </p>
      <Permissions permissions={consent.permissions} />
      <Steps aria-label="Steps">
        <h3>Steps</h3>
        <ol>
          <li>
            Sign in at Microsoft as a Global Administrator or Privileged Role Administrator
            {consent.tenant !== null && ` of the tenant ${consent.tenant}`}.
          </li>
          <li>
            Compare the permissions and select Accept. Microsoft lists all that the application can use, so those of other
            services of Microsoft may be among them.
          </li>
          <li>You return here, and the connection is tested.</li>
        </ol>
        <p>
          To revoke the consent later, remove the application in the Microsoft Entra admin center under Enterprise applications.
        </p>
      </Steps>
      {refusal && (
        <p role="alert">
          <VisibleText text={refusal} />
        </p>
      )}
      <Button type="submit" variant="contained" size="large" loading={isBusy}>
        Continue to Microsoft
      </Button>
      <Button onClick={onForm}>Use your own app registration instead</Button>
    </Form>
  );
}
