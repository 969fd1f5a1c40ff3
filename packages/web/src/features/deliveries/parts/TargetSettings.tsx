/** Name and quiet time of a target. */
import type { DeliveryTarget } from '@parapet/contract/deliveries.ts';
import { useForm } from 'react-hook-form';
import { FormDialog } from '../../../kit/FormDialog.tsx';
import { Fields, SelectInput, TextInput } from '../../../kit/fields.tsx';
import { showFormError } from '../../../lib/problems.ts';
import { useScope } from '../../../lib/scope.ts';
import { useUpdateTarget } from '../deliveries.queries.ts';
import { timeChoices } from '../ruleText.ts';

interface Values {
  name: string;
  isQuiet: 'no' | 'yes';
  quiet: { from: number; to: number; zone: string };
}

export function TargetSettings({ target, onClose }: { target: DeliveryTarget; onClose: () => void }) {
  const { timeZone } = useScope();
  const update = useUpdateTarget();
  const { id, name, quiet, state, clientOrganizationID: client } = target;
  const form = useForm<Values>({
    defaultValues: { name, isQuiet: quiet ? 'yes' : 'no', quiet: quiet ?? { from: 22 * 60, to: 6 * 60, zone: timeZone } },
  });
  const { isQuiet, quiet: chosen } = form.watch();
  const save = async (values: Values) => {
    const body = { name: values.name, isPaused: state === 'paused', quiet: values.isQuiet === 'yes' ? values.quiet : null };
    await update.mutateAsync({ params: { client, target: id }, body }).then(onClose, (error) => showFormError(form, error));
  };
  return (
    <FormDialog title="Edit target" form={form} onSave={save} onClose={onClose}>
      <TextInput name="name" label="Name" isRequired maxLength={200} />
      <SelectInput
        name="isQuiet"
        label="Quiet time"
        hint="Deliveries wait until it ends."
        choices={[
          { value: 'no', label: 'None' },
          { value: 'yes', label: 'Every day between' },
        ]}
      />
      {isQuiet === 'yes' && (
        <Fields least={120}>
          <SelectInput name="quiet.from" label="From" choices={timeChoices(0, chosen.from)} />
          <SelectInput name="quiet.to" label="To" choices={timeChoices(60, chosen.to)} />
          <TextInput name="quiet.zone" label="Time zone" maxLength={64} isRequired />
        </Fields>
      )}
    </FormDialog>
  );
}
