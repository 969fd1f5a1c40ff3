/** Puts an alert into a case by hand; the case is named by its number, and must be of the same client (spec §5). */
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import { type AlertDetail, alertsApi } from '@parapet/contract/alerts.ts';
import { casesApi } from '@parapet/contract/cases.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { Form } from '../../../kit/Form.tsx';
import { TextInput } from '../../../kit/fields.tsx';
import { Note } from '../../../kit/Note.tsx';
import { call } from '../../../lib/call.ts';
import { toast } from '../../../lib/toast.ts';

interface Values {
  number: string;
}

/** "#12" and " 12 " are 12; undefined for what is no number of a case. */
export function caseNumberOf(text: string): number | undefined {
  const digits = /^#?([1-9]\d{0,9})$/.exec(text.trim())?.[1];
  const number = Number(digits);
  return digits !== undefined && number <= 2_147_483_647 ? number : undefined;
}

export function AddToCase({ alert, onClose }: { alert: AlertDetail; onClose: () => void }) {
  const queries = useQueryClient();
  const [refusal, setRefusal] = useState<string>();
  const form = useForm<Values>({ defaultValues: { number: '' } });
  const add = async ({ number }: Values) => {
    const caseID = caseNumberOf(number);
    setRefusal(undefined);
    if (caseID === undefined) return form.setError('number', { message: 'Write the number of a case, such as 12.' });
    try {
      await call(casesApi.addAlert, { body: { caseID, alertID: alert.id } });
      toast.success('Successfully updated case!', 'case');
      onClose();
      await Promise.all(
        [alertsApi.detail.id, casesApi.detail.id, casesApi.list.id, casesApi.alerts.id].map((id) =>
          queries.invalidateQueries({ queryKey: [id] }),
        ),
      );
    } catch (error) {
      setRefusal(error instanceof Error ? error.message : 'Failed to update case!');
    }
  };
  return (
    <Dialog open onClose={onClose} aria-labelledby="add-to-case" maxWidth="xs" fullWidth>
      <DialogTitle id="add-to-case" sx={{ fontSize: 16, fontWeight: 650, pb: 1 }}>
        Add alert {alert.id} to a case
      </DialogTitle>
      <DialogContent>
        <div style={{ paddingTop: 8 }}>
          <Form
            form={form}
            label="Add to a case"
            isNew
            saveText="Add"
            onSave={add}
            actions={<Button onClick={onClose}>Cancel</Button>}
          >
            {refusal && (
              <Note tone="warning" role="alert">
                {refusal}
              </Note>
            )}
            <TextInput
              name="number"
              label="Number of the case"
              isRequired
              maxLength={12}
              hint={
                alert.caseID === null
                  ? 'A case of the same client.'
                  : `A case of the same client. The alert leaves case ${alert.caseID}.`
              }
            />
          </Form>
        </div>
      </DialogContent>
    </Dialog>
  );
}
