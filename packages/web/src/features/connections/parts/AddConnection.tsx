/** Adds a connection: the service, instructions for the client’s administrator, and a form made from the fields of its kind. */
import Button from '@mui/material/Button';
import type { ConnectionKind, connectionsApi, IncidentMode } from '@parapet/contract/connections.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { DemoValues } from '../../../kit/DemoValues.tsx';
import { FormDialog } from '../../../kit/FormDialog.tsx';
import { CheckInput, TextInput } from '../../../kit/fields.tsx';
import { Note } from '../../../kit/Note.tsx';
import { TestConnection } from '../../../kit/TestConnection.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { showFormError } from '../../../lib/problems.ts';
import { invitesQuery, kindsQuery, useCreateConnection, useTestConnection } from '../connections.queries.ts';
import { IncidentModeInput } from './IncidentSync.tsx';
import { Instructions } from './Instructions.tsx';
import { InviteDialog } from './Invites.tsx';
import { KindDialog } from './KindDialog.tsx';
import { Permissions } from './Permissions.tsx';
import { initialValues, refusalIn, ValueInputs } from './ValueInputs.tsx';

interface Props {
  client: number;
  onClose: () => void;
}

export function AddConnection({ client, onClose }: Props) {
  const kinds = useQuery(kindsQuery);
  const [chosen, setChosen] = useState<string>();
  const [isInviting, setInviting] = useState(false);
  const kind = kinds.data?.results.find(({ id }) => id === chosen);
  if (kind && isInviting) return <InviteDialog client={client} kind={kind} onClose={onClose} />;
  if (kind) return <KindForm client={client} kind={kind} onInvite={() => setInviting(true)} onClose={onClose} />;
  return (
    <KindDialog title="Add connection" label="Services" what="services" query={kinds} onChoose={setChosen} onClose={onClose} />
  );
}

interface Values {
  name: string;
  mayAct: boolean;
  incidentMode: IncidentMode;
  values: Record<string, string>;
}

function AskForConsent({ kind, onInvite }: { kind: ConnectionKind; onInvite: () => void }) {
  return (
    <>
      <Note
        actions={
          <Button variant="contained" size="small" onClick={onInvite}>
            Ask for consent
          </Button>
        }
      >
        An administrator of the client’s tenant consents at Microsoft by an emailed link. No secret is created or entered.
      </Note>
      <Permissions permissions={kind.permissions} />
      <p style={{ margin: 0, fontWeight: 600 }}>Or connect an app registration of the client</p>
    </>
  );
}

function KindForm({ client, kind, onInvite, onClose }: Props & { kind: ConnectionKind; onInvite: () => void }) {
  const offersConsent = useQuery(invitesQuery(client)).data?.offersConsent === true && kind.permissions.length > 0;
  const create = useCreateConnection();
  const test = useTestConnection();
  const [result, setResult] = useState<AnswerOf<typeof connectionsApi.test>['results']>();
  const [refusal, setRefusal] = useState<string>();
  const form = useForm<Values>({
    defaultValues: { name: kind.title, mayAct: false, incidentMode: 'read', values: initialValues(kind.fields) },
  });
  const attempt = async (run: () => Promise<unknown>) => {
    setRefusal(undefined);
    setResult(undefined);
    try {
      await run();
    } catch (error) {
      const text = refusalIn(error);
      if (text) setRefusal(text);
      else showFormError(form, error);
    }
  };
  const save = (body: Values) =>
    attempt(async () => {
      await create.mutateAsync({ params: { client }, body: { ...body, kind: kind.id } });
      onClose();
    });
  const tryOut = () =>
    attempt(async () => {
      const { results } = await test.mutateAsync({
        params: { client },
        body: { kind: kind.id, values: form.getValues('values') },
      });
      setResult(results);
    });
  const { example } = kind;
  return (
    <FormDialog
      title={`Connect ${kind.title}`}
      form={form}
      onSave={save}
      saveText="Add connection"
      onClose={onClose}
      maxWidth="md"
    >
      {offersConsent && <AskForConsent kind={kind} onInvite={onInvite} />}
      <Instructions kind={kind.isPush ? { ...kind, title: 'the device' } : kind} />
      {!kind.isPush && !offersConsent && (
        <div>
          <Button size="small" onClick={onInvite}>
            Email a link instead
          </Button>{' '}
          <span style={{ fontSize: 13 }}>The client’s administrator then enters the values.</span>
        </div>
      )}
      {example && <DemoValues title={kind.title} noun="connection" onFill={() => form.setValue('values', example)} />}
      <TextInput name="name" label="Name" hint="Shown in lists; for example the tenant or region" isRequired maxLength={200} />
      <ValueInputs fields={kind.fields} />
      {kind.actions.length > 0 && (
        <CheckInput name="mayAct" label="Allow responses" hint={`Executes approved responses. ${kind.actionStep}`} />
      )}
      {kind.incidentStep !== '' && <IncidentModeInput step={kind.incidentStep} />}
      <TestConnection isPending={test.isPending} onTest={tryOut} />
      {result && (
        <Note role="alert">
          {result.map(({ what, canRead, detail }) => (
            <div key={what}>
              {what}: {!kind.isPush && (canRead ? 'can be read.' : 'can’t be read.')} <VisibleText text={detail} />
            </div>
          ))}
        </Note>
      )}
      {refusal && (
        <Note tone="warning" role="alert">
          <VisibleText text={refusal} />
        </Note>
      )}
    </FormDialog>
  );
}
