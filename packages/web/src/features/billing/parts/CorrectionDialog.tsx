/** Adds a correction to a closed month. */
import { type BillingRow, billingApi } from '@parapet/contract/billing.ts';
import { type CorrectedMeasure, correctedMeasures, measureLabel } from '@parapet/contract/rules/billing.ts';
import { useForm } from 'react-hook-form';
import { FormDialog } from '../../../kit/FormDialog.tsx';
import { Fields, SelectInput, TextInput } from '../../../kit/fields.tsx';
import { resolverOf } from '../../../kit/form.ts';
import { savingForm } from '../../../lib/problems.ts';
import { useCorrect } from '../billing.queries.ts';
import { monthLabel } from '../months.ts';

interface Values {
  month: string;
  measure: CorrectedMeasure;
  amount: number | null;
  reason: string;
}

const choices = correctedMeasures.map((value) => ({ value, label: measureLabel(value) }));

export function CorrectionDialog({ row, onClose }: { row: BillingRow; onClose: () => void }) {
  const correct = useCorrect();
  const form = useForm<Values>({
    defaultValues: { month: row.month, measure: 'servers', amount: null, reason: '' },
    resolver: resolverOf<Values, unknown>(billingApi.correct.body),
  });
  const submit = savingForm(form, async (values: Values) => {
    const body = { ...values, amount: values.amount ?? 0 };
    await correct.mutateAsync({ params: { client: row.clientOrganizationID }, body });
    onClose();
  });
  return (
    <FormDialog title={`Correct ${monthLabel(row.month)}`} form={form} onSave={submit} onClose={onClose}>
      <Fields>
        <SelectInput name="measure" label="Measure" choices={choices} isRequired />
        <TextInput name="amount" label="Change" type="number" hint="Such as −2. The count stays as it is." isRequired />
        <TextInput name="reason" label="Reason" maxLength={500} isRequired isWide />
      </Fields>
    </FormDialog>
  );
}
