/** Suppresses similar alerts: one suppression for each rule, device and user, with a reason and an expiry. */
import { because } from '@parapet/contract/suppressions.ts';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import { FormDialog } from '../../../kit/FormDialog.tsx';
import { SelectInput, TextInput } from '../../../kit/fields.tsx';
import { resolverOf } from '../../../kit/form.ts';
import { Note } from '../../../kit/Note.tsx';
import { endOf, lengths } from '../../suppressions/suppressions.ts';

interface Values {
  reason: string;
  days: number;
}
const schema = z.object({ reason: because.reason, days: z.number().min(1, 'Select a duration.') });

interface Props {
  /** Alerts in words, for example "3 alerts". */
  subject: string;
  onSuppress: (suppression: { reason: string; endTime: string }) => void;
  onClose: () => void;
}

export function SuppressAlerts({ subject, onSuppress, onClose }: Props) {
  const form = useForm<Values>({ defaultValues: { reason: '', days: 30 }, resolver: resolverOf<Values, unknown>(schema) });
  return (
    <FormDialog
      title={`Suppress alerts similar to ${subject}?`}
      onClose={onClose}
      form={form}
      label="Suppress"
      saveText="Suppress"
      onSave={async ({ reason, days }) => {
        onSuppress({ reason, endTime: endOf(days, Date.now()) });
        onClose();
      }}
    >
      <Note>
        Creates one suppression for each rule, device and user of these alerts. Matching alerts no longer open or join cases. You
        can undo this for 10 seconds after it finishes, or end each suppression later.
      </Note>
      <TextInput name="reason" label="Reason" lines={2} isRequired hint="Justification and approver." maxLength={2000} />
      <SelectInput name="days" label="Duration" isRequired choices={lengths} hint="Suppressions always expire." />
    </FormDialog>
  );
}
