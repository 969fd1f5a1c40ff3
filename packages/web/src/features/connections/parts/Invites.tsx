/** Open invitations to connect, with their end, and the dialog that sends one. */
import Button from '@mui/material/Button';
import { allClients } from '@parapet/contract/access.ts';
import { type ConnectionInvite, connectionInvitesApi } from '@parapet/contract/connectionInvites.ts';
import type { ConnectionKind } from '@parapet/contract/connections.ts';
import { useQuery } from '@tanstack/react-query';
import { useForm } from 'react-hook-form';
import { FormDialog } from '../../../kit/FormDialog.tsx';
import { TextInput } from '../../../kit/fields.tsx';
import { resolverOf } from '../../../kit/form.ts';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { Row, Rows } from '../../../kit/rows.styles.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { savingForm } from '../../../lib/problems.ts';
import { useScope } from '../../../lib/scope.ts';
import { invitesQuery, useInvite, useRevokeInvite } from '../connections.queries.ts';
import { Permissions } from './Permissions.tsx';

export function Invites({ client }: { client: number }) {
  const open = useQuery(invitesQuery(client)).data?.results.filter(({ state }) => state === 'open') ?? [];
  if (open.length === 0) return null;
  return (
    <section aria-labelledby="open-invitations" style={{ marginTop: 24 }}>
      <h2 id="open-invitations" style={{ margin: '0 0 8px', fontSize: 14, fontWeight: 600 }}>
        Open invitations
      </h2>
      <Rows aria-label="Open invitations">
        {open.map((invite) => (
          <InviteRow key={invite.id} invite={invite} />
        ))}
      </Rows>
    </section>
  );
}

function InviteRow({ invite }: { invite: ConnectionInvite }) {
  const { client, clients, timeZone, may } = useScope();
  const revoke = useRevokeInvite();
  const { id, name, title, email, clientOrganizationID: owner, createdBy, expiresAt } = invite;
  return (
    <Row aria-label={`Invitation for ${name}`}>
      <span className="fields">
        <strong>
          <VisibleText text={name} />
        </strong>{' '}
        · {title}
        {client === allClients && ` · ${clients.find((each) => each.id === owner)?.name ?? `client ${owner}`}`}
        <div style={{ fontSize: 13, overflowWrap: 'anywhere' }}>
          Sent to <VisibleText text={email} /> by <VisibleText text={createdBy} />, expires{' '}
          <RelativeTime at={expiresAt} timeZone={timeZone} />
        </div>
      </span>
      {may('connections:write') && (
        <Button
          size="small"
          color="error"
          aria-label={`Revoke invitation for ${name}`}
          loading={revoke.isPending}
          onClick={() => revoke.mutate({ params: { client: owner, invite: id } })}
        >
          Revoke
        </Button>
      )}
    </Row>
  );
}

interface Values {
  name: string;
  email: string;
  tenant: string;
}

interface InviteProps {
  client: number;
  kind: ConnectionKind;
  /** Name and tenant of a connection whose consent is renewed. */
  renewed?: { name: string; tenant: string };
  onClose: () => void;
}

export function InviteDialog({ client, kind, renewed, onClose }: InviteProps) {
  const invite = useInvite();
  const isConsent = useQuery(invitesQuery(client)).data?.offersConsent === true && kind.permissions.length > 0;
  const bodyOf = ({ tenant, ...values }: Values) => ({ ...values, kind: kind.id, ...(tenant !== '' && { tenant }) });
  const form = useForm<Values, unknown, Values>({
    defaultValues: { name: renewed?.name ?? kind.title, email: '', tenant: renewed?.tenant ?? '' },
    resolver: resolverOf<Values, unknown>({
      safeParse: (values) => connectionInvitesApi.create.body.safeParse(bodyOf(values as Values)),
    }),
  });
  const save = savingForm(form, async (values: Values) => {
    await invite.mutateAsync({ params: { client }, body: bodyOf({ ...form.getValues(), ...values }) });
    onClose();
  });
  return (
    <FormDialog title={`Invite to connect ${kind.title}`} form={form} onSave={save} saveText="Send link" onClose={onClose}>
      <p style={{ margin: 0 }}>
        {isConsent
          ? 'An administrator of the client gets a link to a page that lists the permissions, signs in at Microsoft and consents there. It works once and for 7 days.'
          : 'An administrator of the client gets a link to a page with instructions and enters the values there. It works once and for 7 days.'}
      </p>
      {isConsent && <Permissions permissions={kind.permissions} />}
      <TextInput name="name" label="Name" hint="Shown in lists; for example the tenant or region" isRequired maxLength={200} />
      <TextInput
        name="email"
        label="Email"
        type="email"
        hint="Of the service’s administrator at the client"
        isRequired
        maxLength={254}
      />
      {isConsent && (
        <TextInput
          name="tenant"
          label="Tenant ID"
          hint="Consent of any other tenant is refused. Empty: the tenant of the administrator who signs in"
          maxLength={36}
        />
      )}
    </FormDialog>
  );
}
