/** Suppresses similar alerts: one suppression for each rule, device and user, with a reason and an expiry. */
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import { because } from '@parapet/contract/suppressions.ts';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import { Form } from '../../../kit/Form.tsx';
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
    <Dialog open onClose={onClose} aria-labelledby="suppress-alerts" maxWidth="sm" fullWidth>
      <DialogTitle id="suppress-alerts" sx={{ fontSize: 16, fontWeight: 650, pb: 1 }}>
        Suppress alerts similar to {subject}?
      </DialogTitle>
      <DialogContent>
        <div style={{ paddingTop: 8 }}>
          <Form
            form={form}
            label="Suppress"
            isNew
            saveText="Suppress"
            onSave={async ({ reason, days }) => {
              onSuppress({ reason, endTime: endOf(days, Date.now()) });
              onClose();
            }}
            actions={<Button onClick={onClose}>Cancel</Button>}
          >
            <Note>
              Creates one suppression for each rule, device and user of these alerts. Matching alerts no longer open or join
              cases. You can undo this for 10 seconds after it finishes, or end each suppression later.
            </Note>
            <TextInput name="reason" label="Reason" lines={2} isRequired hint="Justification and approver." maxLength={2000} />
            <SelectInput name="days" label="Duration" isRequired choices={lengths} hint="Suppressions always expire." />
          </Form>
        </div>
      </DialogContent>
    </Dialog>
  );
}
