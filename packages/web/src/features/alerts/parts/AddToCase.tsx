/** Adds an alert to a case by the case's number. Both must belong to the same client (spec §5). */
import { type AlertDetail, alertsApi } from '@parapet/contract/alerts.ts';
import { casesApi } from '@parapet/contract/cases.ts';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { FormDialog } from '../../../kit/FormDialog.tsx';
import { TextInput } from '../../../kit/fields.tsx';
import { Note } from '../../../kit/Note.tsx';
import { useApiMutation } from '../../../lib/useApiMutation.ts';

interface Values {
  number: string;
}

/** Parses "#12" and " 12 " as 12; undefined for anything that is not a case number. */
export function caseNumberOf(text: string): number | undefined {
  const digits = /^#?([1-9]\d{0,9})$/.exec(text.trim())?.[1];
  const number = Number(digits);
  return digits !== undefined && number <= 2_147_483_647 ? number : undefined;
}

export function AddToCase({ alert, onClose }: { alert: AlertDetail; onClose: () => void }) {
  const addAlert = useApiMutation(casesApi.addAlert, {
    invalidates: [alertsApi.detail, casesApi.detail, casesApi.list, casesApi.alerts],
    success: 'Successfully updated case!',
    topic: 'case',
    failure: false,
    onSuccess: onClose,
  });
  const [refusal, setRefusal] = useState<string>();
  const form = useForm<Values>({ defaultValues: { number: '' } });
  const add = async ({ number }: Values) => {
    const caseID = caseNumberOf(number);
    setRefusal(undefined);
    if (caseID === undefined) return form.setError('number', { message: 'Enter a case number, for example 12.' });
    try {
      await addAlert.mutateAsync({ body: { caseID, alertID: alert.id } });
    } catch (error) {
      setRefusal(error instanceof Error ? error.message : 'Failed to update case!');
    }
  };
  return (
    <FormDialog
      title={`Add alert ${alert.id} to a case`}
      onClose={onClose}
      maxWidth="xs"
      form={form}
      label="Add to a case"
      saveText="Add"
      onSave={add}
    >
      {refusal && (
        <Note tone="warning" role="alert">
          {refusal}
        </Note>
      )}
      <TextInput
        name="number"
        label="Case number"
        isRequired
        maxLength={12}
        hint={
          alert.caseID === null
            ? 'Must belong to the same client.'
            : `Must belong to the same client. Removes the alert from case ${alert.caseID}.`
        }
      />
    </FormDialog>
  );
}
