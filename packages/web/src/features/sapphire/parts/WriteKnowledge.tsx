/** Dialog that adds or corrects knowledge, which is used immediately. */
import Button from '@mui/material/Button';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import { Form } from '../../../kit/Form.tsx';
import { TextInput } from '../../../kit/fields.tsx';
import { resolverOf } from '../../../kit/form.ts';
import { Modal } from '../../../kit/Modal.tsx';
import { savingForm } from '../../../lib/problems.ts';

const schema = z.object({ text: z.string().trim().min(1, 'Enter a text.').max(20_000) });
type Values = z.infer<typeof schema>;

interface Props {
  title: string;
  text: string;
  onSave: (text: string) => Promise<unknown>;
  onClose: () => void;
}

export function WriteKnowledge({ title, text, onSave, onClose }: Props) {
  const form = useForm<Values>({ defaultValues: { text }, resolver: resolverOf<Values, unknown>(schema) });
  const save = savingForm(form, async (values: Values) => {
    await onSave(values.text.trim());
    onClose();
  });
  return (
    <Modal title={title} onClose={onClose} sx={{ pt: '8px !important' }}>
      <Form form={form} onSave={save} isNew label={title} actions={<Button onClick={onClose}>Cancel</Button>}>
        <TextInput
          name="text"
          label="Knowledge"
          hint="Write it as it should appear in answers. Applies to this organisation and its clients."
          lines={6}
          maxLength={20_000}
          isRequired
        />
      </Form>
    </Modal>
  );
}
