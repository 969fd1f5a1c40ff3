/** Chooses how cases and the vendor’s incidents exchange their status. */
import type { Connection, IncidentMode } from '@parapet/contract/connections.ts';
import { useQuery } from '@tanstack/react-query';
import { useForm, useWatch } from 'react-hook-form';
import { FormDialog } from '../../../kit/FormDialog.tsx';
import { SelectInput } from '../../../kit/fields.tsx';
import { Note } from '../../../kit/Note.tsx';
import { savingForm } from '../../../lib/problems.ts';
import { kindsQuery, useSetIncidentMode } from '../connections.queries.ts';

export const incidentModeLabels: Record<IncidentMode, string> = {
  read: 'Show only',
  send: 'From case to incident',
  both: 'Both ways',
};

const effects: Record<IncidentMode, string> = {
  read: 'Cases show status, classification and owner of their incidents. Neither changes the other.',
  send: 'Later changes of a case change its incident: status, classification and owner, with a comment.',
  both: 'Later changes of a case change its incident, and an incident that is resolved or reopened at the vendor closes or reopens its cases. Critical and malicious cases with open items stay open.',
};

interface Values {
  incidentMode: IncidentMode;
}

/** Field `incidentMode` of a form, with its effect. `step` names the permissions of changes. */
export function IncidentModeInput({ step }: { step: string }) {
  const mode = useWatch<Values, 'incidentMode'>({ name: 'incidentMode' });
  return (
    <>
      <SelectInput
        name="incidentMode"
        label="Incident sync"
        hint={effects[mode]}
        choices={Object.entries(incidentModeLabels).map(([value, label]) => ({ value, label }))}
      />
      {mode !== 'read' && <Note>{step}</Note>}
    </>
  );
}

export function IncidentSync({ connection, mode, onClose }: { connection: Connection; mode: IncidentMode; onClose: () => void }) {
  const { id, kind, name, clientOrganizationID: client } = connection;
  const step = useQuery(kindsQuery).data?.results.find((each) => each.id === kind)?.incidentStep ?? '';
  const save = useSetIncidentMode();
  const form = useForm<Values>({ defaultValues: { incidentMode: mode } });
  const submit = savingForm(form, async (body: Values) => {
    await save.mutateAsync({ params: { client, connection: id }, body });
    onClose();
  });
  return (
    <FormDialog title={`Incident sync of ${name}`} form={form} onSave={submit} saveText="Save" onClose={onClose}>
      <IncidentModeInput step={step} />
    </FormDialog>
  );
}
