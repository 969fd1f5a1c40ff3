/** Chooses the item of an agreement for each measure. */
import type { BillingLine } from '@parapet/contract/billing.ts';
import { Problem } from '@parapet/contract/problem.ts';
import { billingMeasures } from '@parapet/contract/rules/billing.ts';
import { useForm } from 'react-hook-form';
import { FormDialog } from '../../../kit/FormDialog.tsx';
import { Fields, SelectInput } from '../../../kit/fields.tsx';
import { Note } from '../../../kit/Note.tsx';
import { visibleText } from '../../../kit/visible.ts';
import { showFormError } from '../../../lib/problems.ts';
import { type BillingTarget, type Comparison, useSaveLines } from '../billing.queries.ts';
import { chosenLines, type ItemValues, valuesOf } from '../itemForm.ts';
import { figure } from './ClientLines.tsx';

interface Props {
  client: number;
  target: BillingTarget;
  agreements: NonNullable<Comparison['agreements']>;
  lines: readonly BillingLine[];
  onClose: () => void;
}

export function ItemsDialog({ client, target, agreements, lines, onClose }: Props) {
  const save = useSaveLines();
  const form = useForm<ItemValues>({ defaultValues: valuesOf(lines, agreements) });
  const choices = [
    { value: '', label: 'Not billed' },
    ...agreements.flatMap((agreement) =>
      agreement.items.map((item) => ({
        value: `${agreement.id}/${item.id}`,
        label: `${visibleText(agreement.label)}: ${visibleText(item.label)} (${figure(item.quantity)})`,
      })),
    ),
  ];
  const submit = async (values: ItemValues) => {
    const chosen = chosenLines(values);
    try {
      await save.mutateAsync({ params: { client, target: target.id }, body: { lines: chosen } });
      onClose();
    } catch (error) {
      // Faults come by the place in the list.
      const errors =
        error instanceof Problem && error.errors
          ? Object.fromEntries(
              Object.entries(error.errors).map(([field, texts]) => {
                const place = /^lines\.(\d+)\./.exec(field)?.[1];
                return [place === undefined ? field : (chosen[Number(place)]?.measure ?? field), texts];
              }),
            )
          : undefined;
      showFormError(form, errors ? new Problem('invalid', (error as Problem).message, { errors }) : error);
    }
  };
  return (
    <FormDialog title={`Items at ${target.title}`} form={form} onSave={submit} onClose={onClose} maxWidth="md">
      {agreements.length === 0 && <Note tone="warning">{target.title} has no active agreement for this company.</Note>}
      <Fields least={320}>
        {billingMeasures.map(({ value, label }) => (
          <SelectInput key={value} name={value} label={label} choices={choices} />
        ))}
      </Fields>
    </FormDialog>
  );
}
