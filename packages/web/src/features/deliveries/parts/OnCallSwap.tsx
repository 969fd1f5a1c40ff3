/** Puts a person on call in place of the shifts for a while. */
import { instantOfLocal } from '@parapet/contract/rules/zones.ts';
import { useForm } from 'react-hook-form';
import { FormDialog } from '../../../kit/FormDialog.tsx';
import { Fields, SelectInput, TextInput } from '../../../kit/fields.tsx';
import { visibleText } from '../../../kit/visible.ts';
import { showFormError } from '../../../lib/problems.ts';
import { useScope } from '../../../lib/scope.ts';
import { useAddOverride } from '../deliveries.queries.ts';
import { placeChoices, type Rota } from '../onCallText.ts';

interface Values {
  userId: number;
  place: number;
  starts: string;
  ends: string;
}

/** Unreadable input as it is: the portal refuses it by its field. */
const instantOf = (local: string, timeZone: string): string => {
  const at = instantOfLocal(local, timeZone);
  return Number.isNaN(at) ? local : new Date(at).toISOString();
};

export function SwapDialog({ rota, onClose }: { rota: Rota; onClose: () => void }) {
  const { timeZone } = useScope();
  const add = useAddOverride();
  const form = useForm<Values>({ defaultValues: { userId: rota.people[0]?.id ?? 0, place: 1, starts: '', ends: '' } });
  const save = ({ userId, place, starts, ends }: Values) => {
    const span = { starts: instantOf(starts, timeZone), ends: instantOf(ends, timeZone) };
    const body = { userId: Number(userId), place: Number(place), ...span };
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
        <TextInput name="starts" label="From" hint={`Time in ${timeZone}`} type="datetime-local" isRequired />
        <TextInput name="ends" label="To" hint={`Time in ${timeZone}`} type="datetime-local" isRequired />
      </Fields>
    </FormDialog>
  );
}
