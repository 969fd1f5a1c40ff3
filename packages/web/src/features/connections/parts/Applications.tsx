/** Applications at Microsoft to which clients’ administrators consent: one of the provider, and one for each partner that has its own. */
import Button from '@mui/material/Button';
import { type VendorApplication, vendorApplicationsApi } from '@parapet/contract/vendorApplications.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import { ConfirmDialog } from '../../../kit/ConfirmDialog.tsx';
import { CopyButton } from '../../../kit/CopyButton.tsx';
import { FormDialog } from '../../../kit/FormDialog.tsx';
import { SelectInput, TextInput } from '../../../kit/fields.tsx';
import { resolverOf } from '../../../kit/form.ts';
import { Note } from '../../../kit/Note.tsx';
import { counted } from '../../../kit/numbers.ts';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { Row, Rows } from '../../../kit/rows.styles.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { savingForm } from '../../../lib/problems.ts';
import { useScope } from '../../../lib/scope.ts';
import { applicationsQuery, invitesQuery, kindsQuery, useRemoveApplication, useSaveApplication } from '../connections.queries.ts';
import { Steps } from './Instructions.tsx';

type Owner = Pick<VendorApplication, 'organisationID' | 'organisationName' | 'redirectURI'>;

export function Applications() {
  const { client } = useScope();
  const { data } = useQuery(applicationsQuery);
  const isOffered = useQuery(invitesQuery(client)).data?.offersConsent === true;
  const [isAdding, setAdding] = useState(false);
  if (!data) return null;
  const { results, owners } = data;
  const withOwn = results.map(({ organisationID }) => organisationID);
  return (
    <section aria-labelledby="consent-applications" style={{ marginTop: 24 }}>
      <h2 id="consent-applications" style={{ margin: '0 0 4px', fontSize: 14, fontWeight: 600 }}>
        Applications for consent at Microsoft
      </h2>
      <p style={{ margin: '0 0 8px', fontSize: 13 }}>
        With a multi-tenant application, clients’ administrators consent by a link instead of creating app registrations and
        secrets. A partner’s own application is used for its clients, the provider’s for all others.
      </p>
      <div style={{ marginBottom: 8 }}>
        <Button variant="outlined" size="small" onClick={() => setAdding(true)}>
          Set application
        </Button>
      </div>
      {results.length === 0 && isOffered && <Note>Until one is set, this demo leads to a simulated Microsoft.</Note>}
      {results.length > 0 && (
        <Rows aria-label="Applications for consent">
          {results.map((application) => (
            <ApplicationRow key={application.organisationID} application={application} owners={owners} withOwn={withOwn} />
          ))}
        </Rows>
      )}
      {isAdding && <SetApplication owners={owners} withOwn={withOwn} onClose={() => setAdding(false)} />}
    </section>
  );
}

function ApplicationRow({ application, owners, withOwn }: Omit<SetProps, 'onClose'> & { application: VendorApplication }) {
  const { timeZone } = useScope();
  const remove = useRemoveApplication();
  const [dialog, setDialog] = useState<'change' | 'remove'>();
  const { organisationID, organisationName: name, clientID, login, connections, updatedAt } = application;
  const close = () => setDialog(undefined);
  return (
    <Row aria-label={`Application of ${name}`}>
      <span className="fields">
        <strong>
          <VisibleText text={name} />
        </strong>{' '}
        · {clientID}
        <div style={{ fontSize: 13, overflowWrap: 'anywhere' }}>
          {login} · {counted(connections, 'connection')} · changed <RelativeTime at={updatedAt} timeZone={timeZone} />
        </div>
      </span>
      <span className="buttons" style={{ flexWrap: 'wrap' }}>
        <Button size="small" aria-label={`Change application of ${name}`} onClick={() => setDialog('change')}>
          Change
        </Button>
        <Button size="small" color="error" aria-label={`Remove application of ${name}`} onClick={() => setDialog('remove')}>
          Remove
        </Button>
      </span>
      {dialog === 'change' && <SetApplication owners={owners} withOwn={withOwn} application={application} onClose={close} />}
      <ConfirmDialog
        isOpen={dialog === 'remove'}
        title="Remove this application?"
        isBusy={remove.isPending}
        onNo={close}
        onYes={() => remove.mutate({ params: { organisation: organisationID } }, { onSettled: close })}
      >
        Consent to it can’t be asked for any longer. Connections that have one keep working until it is revoked at Microsoft or
        the secret expires.
      </ConfirmDialog>
    </Row>
  );
}

interface Values {
  organisation: number;
  clientID: string;
  secret: string;
  login: string;
}

interface SetProps {
  owners: readonly Owner[];
  /** Owners with an application of their own. */
  withOwn: readonly number[];
  application?: VendorApplication;
  onClose: () => void;
}

function SetApplication({ owners, withOwn, application, onClose }: SetProps) {
  const save = useSaveApplication();
  const form = useForm<Values, unknown, Values>({
    defaultValues: {
      organisation: application?.organisationID ?? owners[0]?.organisationID ?? 1,
      clientID: application?.clientID ?? '',
      secret: '',
      login: application?.login ?? 'login.microsoftonline.com',
    },
    resolver: resolverOf<Values, unknown>({
      safeParse: (values) => vendorApplicationsApi.save.body.safeParse(values),
    }),
  });
  const organisation = useWatch({ control: form.control, name: 'organisation' });
  const submit = savingForm(form, async ({ clientID, secret, login }: Values) => {
    await save.mutateAsync({ params: { organisation: form.getValues('organisation') }, body: { clientID, secret, login } });
    onClose();
  });
  return (
    <FormDialog
      title="Application for consent"
      form={form}
      onSave={submit}
      saveText="Save application"
      onClose={onClose}
      maxWidth="md"
    >
      <RegistrationSteps redirects={redirectsOf(organisation, owners, withOwn)} />
      <SelectInput
        name="organisation"
        label="Owner"
        hint="The provider, or a partner that registered its own"
        choices={owners.map(({ organisationID, organisationName }) => ({ value: organisationID, label: organisationName }))}
        isReadOnly={application !== undefined}
      />
      <TextInput
        name="clientID"
        label="Application ID"
        hint="Application (client) ID of the app registration"
        isRequired
        maxLength={36}
      />
      <TextInput
        name="secret"
        label="Client secret"
        type="password"
        hint="The value of the secret, not its ID. Connections by consent get it too"
        isRequired
        maxLength={200}
      />
      <TextInput
        name="login"
        label="Sign-in address"
        hint="login.microsoftonline.us for US government clouds"
        isRequired
        maxLength={270}
      />
    </FormDialog>
  );
}

/** Redirect addresses of an owner's application: the provider's serves partners without an own one, at their addresses. */
function redirectsOf(owner: number, owners: readonly Owner[], withOwn: readonly number[]): string[] {
  const served = owners.filter(
    ({ organisationID: id }) => id === owner || (owner === owners[0]?.organisationID && !withOwn.includes(id)),
  );
  return [...new Set(served.map(({ redirectURI }) => redirectURI))];
}

function RegistrationSteps({ redirects }: { redirects: readonly string[] }) {
  const permissions = useQuery(kindsQuery).data?.results.flatMap((kind) => kind.permissions) ?? [];
  const apis = Map.groupBy(permissions, ({ api }) => api);
  return (
    <Steps aria-label="Instructions">
      <h3>In the Microsoft Entra admin center of the owner</h3>
      <ol>
        <li>
          Open App registrations, select New registration and choose accounts in any organizational directory (multitenant).
        </li>
        <li>
          Under Authentication add as redirect addresses of the platform Web:
          {redirects.map((address) => (
            <div key={address}>
              <code>{address}</code> <CopyButton text={address} label="Copy the redirect address" />
            </div>
          ))}
        </li>
        <li>
          Under API permissions add, as application permissions, those of the services that clients will connect:
          {[...apis].map(([api, ofApi]) => (
            <div key={api}>
              {api}: {ofApi.map(({ name }) => name).join(', ')}
            </div>
          ))}
        </li>
        <li>
          Under Token configuration add the groups claim with directory roles, for ID tokens: it shows the portal that an
          administrator consents.
        </li>
        <li>Under Certificates & secrets create a client secret. Set a new one here before it expires.</li>
      </ol>
    </Steps>
  );
}
