/** Chooses how cases and the vendor’s incidents exchange their status. */
import type { Connection, IncidentMode } from '@parapet/contract/connections.ts';
import { useQuery } from '@tanstack/react-query';
import { useForm } from 'react-hook-form';
import { FormDialog } from '../../../kit/FormDialog.tsx';
import { SelectInput } from '../../../kit/fields.tsx';
import { showFormError } from '../../../lib/problems.ts';
import { kindsQuery, useSetIncidentMode } from '../connections.queries.ts';

export const incidentModeLabels: Record<IncidentMode, string> = {
  read: 'Show only',
  send: 'From case to incident',
  both: 'Both ways',
};

interface Values {
  incidentMode: IncidentMode;
}

export function IncidentSync({ connection, mode, onClose }: { connection: Connection; mode: IncidentMode; onClose: () => void }) {
  const { id, kind, clientOrganizationID: client } = connection;
  const step = useQuery(kindsQuery).data?.results.find((each) => each.id === kind)?.incidentStep;
  const save = useSetIncidentMode();
  const form = useForm<Values>({ defaultValues: { incidentMode: mode } });
  const submit = async (body: Values) => {
    try {
      await save.mutateAsync({ params: { client, connection: id }, body });
      onClose();
    } catch (error) {
      showFormError(form, error);
    }
  };
  return (
    <FormDialog title="Incident sync" form={form} onSave={submit} saveText="Save" onClose={onClose}>
      <SelectInput
        name="incidentMode"
        label="Status of cases and incidents"
        choices={Object.entries(incidentModeLabels).map(([value, label]) => ({ value, label }))}
      />
      <p style={{ margin: 0 }}>
        From case to incident: status, classification and owner of the incident follow the case, with a comment. Both ways: an
        incident that is resolved or reopened at the vendor also closes or reopens its cases. Critical and malicious cases with
        open items stay open.
      </p>
      {step && <p style={{ margin: 0 }}>{step}</p>}
    </FormDialog>
  );
}
