/** Instructions for analysts, and the alert types of which the client is notified. */
import Checkbox from '@mui/material/Checkbox';
import FormControlLabel from '@mui/material/FormControlLabel';
import { styled } from '@mui/material/styles';
import { alertTypes, type ClientDetails, organisationsApi } from '@parapet/contract/organisations.ts';
import { useContext } from 'react';
import { useController } from 'react-hook-form';
import { PlainField, ReadOnlyContext, TextInput } from '../../../kit/fields.tsx';
import { PartForm } from './PartForm.tsx';

const Choices = styled('fieldset')({
  border: 0,
  margin: 0,
  padding: 0,
  display: 'grid',
  gridTemplateColumns: 'repeat(auto-fill, minmax(min(100%, 200px), 1fr))',
  '& > legend': { padding: 0, marginBottom: 4, fontSize: 13, fontWeight: 600 },
});

export function PlaybookTab({ details }: { details: ClientDetails }) {
  return (
    <PartForm details={details} endpoint={organisationsApi.updatePlaybook} label="Playbook" valuesOf={({ playbook }) => playbook}>
      <TextInput
        name="generalAlertNotes"
        label="Alert notes"
        lines={4}
        hint="Essential context for analysts."
        maxLength={20_000}
      />
      <TextInput
        name="alertPlaybookData"
        label="Playbook"
        lines={8}
        hint="Step-by-step instructions by situation."
        maxLength={20_000}
      />
      <AlertTypes />
    </PartForm>
  );
}

export function AlertTypes() {
  const { field } = useController({ name: 'alertTypes' });
  const isReadOnly = useContext(ReadOnlyContext);
  const chosen: readonly string[] = field.value ?? [];
  if (isReadOnly) return <PlainField label="Notify about" value={chosen.join(', ')} />;
  return (
    <Choices>
      <legend>Notify about</legend>
      {alertTypes.map((type) => (
        <FormControlLabel
          key={type}
          label={type}
          control={
            <Checkbox
              size="small"
              checked={chosen.includes(type)}
              // In list order, so that equal selections are equal values.
              onChange={(_, isOn) => field.onChange(alertTypes.filter((each) => (each === type ? isOn : chosen.includes(each))))}
            />
          }
        />
      ))}
    </Choices>
  );
}
