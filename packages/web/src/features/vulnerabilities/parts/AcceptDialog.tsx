/** Accepts a finding with a reason until a date; until then it does not count as open. */
import type { Finding } from '@parapet/contract/vulnerabilities.ts';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import { FormDialog } from '../../../kit/FormDialog.tsx';
import { SelectInput, TextInput } from '../../../kit/fields.tsx';
import { requiredText, resolverOf } from '../../../kit/form.ts';
import { Note } from '../../../kit/Note.tsx';
import { absoluteTime } from '../../../kit/time.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { endOf, lengths } from '../../suppressions/suppressions.ts';
import { useAccept } from '../vulnerabilities.queries.ts';

interface Values {
  reason: string;
  days: number;
}
const schema = z.object({
  reason: z.string().trim().min(1, requiredText).max(1_000),
  days: z.number().min(1, 'Select a duration.'),
});

export function AcceptDialog({ finding, timeZone, onClose }: { finding: Finding; timeZone: string; onClose: () => void }) {
  const accept = useAccept();
  const form = useForm<Values>({ defaultValues: { reason: '', days: 90 }, resolver: resolverOf<Values, unknown>(schema) });
  const days = form.watch('days');
  return (
    <FormDialog
      title={
        <>
          Accept <VisibleText text={finding.cve} />?
        </>
      }
      onClose={onClose}
      form={form}
      label="Accept"
      saveText="Accept"
      onSave={({ reason, days }) =>
        accept
          .mutateAsync({ finding, isAccepted: true, reason, until: endOf(days, Date.now()) })
          .then(onClose)
          // The hook shows the error; the form keeps its values.
          .catch(() => {})
      }
    >
      <Note>
        <VisibleText text={finding.cve} /> in <VisibleText text={finding.package} /> on <VisibleText text={finding.deviceName} />{' '}
        does not count as open until then. Accepting does not fix it.
      </Note>
      <TextInput name="reason" label="Reason" lines={2} isRequired hint="Justification and approver." maxLength={1_000} />
      <SelectInput
        name="days"
        label="Accepted for"
        isRequired
        choices={lengths}
        hint={`Ends ${absoluteTime(Date.parse(endOf(days || 1, Date.now())), timeZone)}, then reopens.`}
      />
    </FormDialog>
  );
}
