/** What analysts must know and do for this client, and which kinds of alert it wants to hear of. */
import Checkbox from '@mui/material/Checkbox';
import FormControlLabel from '@mui/material/FormControlLabel';
import { styled } from '@mui/material/styles';
import { alertTypes, type ClientDetails, organisationsApi } from '@parapet/contract/organisations.ts';
import { useContext } from 'react';
import { useController } from 'react-hook-form';
import { ReadOnlyContext, TextInput } from '../../../kit/fields.tsx';
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
        hint="What an analyst must know before anything else."
        maxLength={20_000}
      />
      <TextInput
        name="alertPlaybookData"
        label="Playbook"
        lines={8}
        hint="What to do in which case, step by step."
        maxLength={20_000}
      />
      <AlertTypes />
    </PartForm>
  );
}

function AlertTypes() {
  const { field } = useController({ name: 'alertTypes' });
  const isReadOnly = useContext(ReadOnlyContext);
  const chosen: readonly string[] = field.value ?? [];
  return (
    <Choices>
      <legend>Kinds of alert to hear of</legend>
      {alertTypes.map((type) => (
        <FormControlLabel
          key={type}
          label={type}
          control={
            <Checkbox
              size="small"
              disabled={isReadOnly}
              checked={chosen.includes(type)}
              // In the list's own order, so that the same choice is the same value.
              onChange={(_, isOn) => field.onChange(alertTypes.filter((each) => (each === type ? isOn : chosen.includes(each))))}
            />
          }
        />
      ))}
    </Choices>
  );
}
