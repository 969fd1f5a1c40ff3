/** Keeps what is like the selected alerts out of cases: one suppression for each rule with its device and user, with a reason and an end. */
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
const schema = z.object({ reason: because.reason, days: z.number().min(1, 'Choose how long they hold.') });

interface Props {
  /** "3 alerts". */
  much: string;
  onSuppress: (because: { reason: string; endTime: string }) => void;
  onClose: () => void;
}

export function SuppressAlerts({ much, onSuppress, onClose }: Props) {
  const form = useForm<Values>({ defaultValues: { reason: '', days: 30 }, resolver: resolverOf<Values, unknown>(schema) });
  return (
    <Dialog open onClose={onClose} aria-labelledby="suppress-alerts" maxWidth="sm" fullWidth>
      <DialogTitle id="suppress-alerts" sx={{ fontSize: 16, fontWeight: 650, pb: 1 }}>
        Suppress what is like {much}?
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
              Each rule with the device and user of its alerts becomes a suppression: what matches it from now on stays out of
              cases. It can be taken back within ten seconds after its end, and ended one by one later.
            </Note>
            <TextInput
              name="reason"
              label="Reason"
              lines={2}
              isRequired
              hint="Why this is harmless, and who said so."
              maxLength={2000}
            />
            <SelectInput name="days" label="Holds for" isRequired choices={lengths} hint="Nothing is hidden for ever." />
          </Form>
        </div>
      </DialogContent>
    </Dialog>
  );
}
