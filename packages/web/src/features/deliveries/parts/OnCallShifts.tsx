/** Weekly shifts of a rota. */
import Button from '@mui/material/Button';
import { useFieldArray, useForm } from 'react-hook-form';
import { FormDialog } from '../../../kit/FormDialog.tsx';
import { Fields, SelectInput, TextInput } from '../../../kit/fields.tsx';
import { Section } from '../../../kit/Section.tsx';
import { visibleText } from '../../../kit/visible.ts';
import { showFormError } from '../../../lib/problems.ts';
import { useScope } from '../../../lib/scope.ts';
import { useSaveShifts } from '../deliveries.queries.ts';
import { dayChoicesWith, daysIn, placeChoices, type Rota } from '../onCallText.ts';
import { timeChoices } from '../ruleText.ts';

interface Values {
  zone: string;
  shifts: { userId: number; place: number; days: string; from: number; to: number }[];
}

export function ShiftsDialog({ rota, onClose }: { rota: Rota; onClose: () => void }) {
  const { timeZone } = useScope();
  const save = useSaveShifts();
  const form = useForm<Values>({
    defaultValues: {
      zone: rota.zone ?? timeZone,
      shifts: rota.shifts.map(({ days, ...shift }) => ({ ...shift, days: days.join(',') })),
    },
  });
  const { fields, append, remove } = useFieldArray({ control: form.control, name: 'shifts' });
  const people = rota.people.map(({ id, name, email }) => ({ value: id, label: visibleText(name || email) }));
  const submit = ({ zone, shifts }: Values) => {
    const body = {
      zone,
      shifts: shifts.map(({ userId, place, days, from, to }) => ({
        userId: Number(userId),
        place: Number(place),
        days: daysIn(days),
        from: Number(from),
        to: Number(to),
      })),
    };
    return save
      .mutateAsync({ params: { client: rota.clientOrganizationID }, body })
      .then(onClose, (error) => showFormError(form, error));
  };
  return (
    <FormDialog title="Shifts" form={form} onSave={submit} onClose={onClose} maxWidth="md">
      <TextInput name="zone" label="Time zone" hint="Of all shifts; they follow its clock changes" maxLength={64} isRequired />
      {fields.map(({ id, days, from, to }, place) => (
        <Section key={id} title={`Shift ${place + 1}`}>
          <Fields least={140}>
            <SelectInput name={`shifts.${place}.userId`} label="Person" choices={people} isRequired />
            <SelectInput name={`shifts.${place}.place`} label="Called" choices={placeChoices} isRequired />
            <SelectInput name={`shifts.${place}.days`} label="Begins on" choices={dayChoicesWith(daysIn(days))} isRequired />
            <SelectInput name={`shifts.${place}.from`} label="From" choices={timeChoices(0, from)} />
            <SelectInput name={`shifts.${place}.to`} label="To" choices={timeChoices(60, to)} />
          </Fields>
          <Button size="small" color="error" aria-label={`Remove shift ${place + 1}`} onClick={() => remove(place)}>
            Remove
          </Button>
        </Section>
      ))}
      <div>
        <Button
          size="small"
          disabled={people.length === 0}
          onClick={() => append({ userId: people[0]!.value, place: 1, days: '1,2,3,4,5,6,7', from: 0, to: 1440 })}
        >
          Add shift
        </Button>
      </div>
    </FormDialog>
  );
}
