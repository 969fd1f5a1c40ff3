/** Puts a person on call in place of the shifts for a while. */
import { useForm } from 'react-hook-form';
import { FormDialog } from '../../../kit/FormDialog.tsx';
import { Fields, SelectInput, TextInput } from '../../../kit/fields.tsx';
import { visibleText } from '../../../kit/visible.ts';
import { showFormError } from '../../../lib/problems.ts';
import { useAddOverride } from '../deliveries.queries.ts';
import { placeChoices, type Rota } from '../onCallText.ts';

interface Values {
  userId: number;
  place: number;
  starts: string;
  ends: string;
}

/** Of the browser's clock, as the input shows it. */
const instantOf = (local: string): string => {
  const at = new Date(local);
  return Number.isNaN(at.getTime()) ? local : at.toISOString();
};

export function SwapDialog({ rota, onClose }: { rota: Rota; onClose: () => void }) {
  const add = useAddOverride();
  const form = useForm<Values>({ defaultValues: { userId: rota.people[0]?.id ?? 0, place: 1, starts: '', ends: '' } });
  const save = ({ userId, place, starts, ends }: Values) => {
    const body = { userId: Number(userId), place: Number(place), starts: instantOf(starts), ends: instantOf(ends) };
    return add
      .mutateAsync({ params: { client: rota.clientOrganizationID }, body })
      .then(onClose, (error) => showFormError(form, error));
  };
  return (
    <FormDialog title="Add swap" form={form} onSave={save} onClose={onClose}>
      <SelectInput
        name="userId"
        label="Person"
        choices={rota.people.map(({ id, name, email }) => ({ value: id, label: visibleText(name || email) }))}
        isRequired
      />
      <SelectInput name="place" label="Called" choices={placeChoices} isRequired />
      <Fields least={200}>
        <TextInput name="starts" label="From" type="datetime-local" isRequired />
        <TextInput name="ends" label="To" type="datetime-local" isRequired />
      </Fields>
    </FormDialog>
  );
}
