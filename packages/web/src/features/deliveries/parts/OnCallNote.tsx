/** Writes a hand-over note. */
import { useForm } from 'react-hook-form';
import { FormDialog } from '../../../kit/FormDialog.tsx';
import { TextInput } from '../../../kit/fields.tsx';
import { showFormError } from '../../../lib/problems.ts';
import { useAddOnCallNote } from '../deliveries.queries.ts';

export function NoteDialog({ client, onClose }: { client: number; onClose: () => void }) {
  const add = useAddOnCallNote();
  const form = useForm({ defaultValues: { text: '' } });
  const save = (body: { text: string }) =>
    add.mutateAsync({ params: { client }, body }).then(onClose, (error) => showFormError(form, error));
  return (
    <FormDialog title="Hand-over note" form={form} onSave={save} onClose={onClose}>
      <TextInput
        name="text"
        label="Note"
        hint="Goes to the next people on call with their first case"
        isRequired
        maxLength={2_000}
        lines={5}
      />
    </FormDialog>
  );
}
