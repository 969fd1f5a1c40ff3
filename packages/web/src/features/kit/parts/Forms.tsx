/** Forms and confirmations. */
import Button from '@mui/material/Button';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import { Card } from '../../../kit/Card.tsx';
import { ConfirmDialog } from '../../../kit/ConfirmDialog.tsx';
import { FilePicker } from '../../../kit/FilePicker.tsx';
import { Form } from '../../../kit/Form.tsx';
import { CheckInput, Fields, SelectInput, TextInput } from '../../../kit/fields.tsx';
import { resolverOf } from '../../../kit/form.ts';
import { UnsavedDialog } from '../../../kit/UnsavedDialog.tsx';
import { toast } from '../../../lib/toast.ts';
import { useLeaveGuard } from '../../../lib/useLeaveGuard.ts';
import { States } from './States.tsx';

const values = z.object({
  name: z.string().trim().min(1, 'Write a name.').max(20, 'At most 20 characters.'),
  password: z.string(),
  kind: z.string(),
  text: z.string(),
  isOn: z.boolean(),
});
type Values = z.infer<typeof values>;
const empty: Values = { name: '', password: '', kind: 'one', text: '', isOn: false };
const choices = [
  { value: 'one', label: 'The first' },
  { value: 'two', label: 'The second' },
];

function Sample({ refusal }: { refusal?: string }) {
  const form = useForm<Values>({ defaultValues: empty, resolver: resolverOf<Values, unknown>(values) });
  const guard = useLeaveGuard(form.formState.isDirty);
  return (
    <>
      <Form
        form={form}
        label={refusal ? 'A form that cannot be changed' : 'A form'}
        refusal={refusal}
        onSave={async (saved) => {
          await new Promise((resolve) => setTimeout(resolve, 800));
          form.reset(saved);
          toast.success('Saved');
        }}
      >
        <Fields>
          <TextInput name="name" label="Name" isRequired hint="Leave it empty to see what is said" />
          <TextInput name="password" label="Password" type="password" />
          <SelectInput name="kind" label="Kind" choices={choices} />
          <TextInput name="text" label="Text" lines={3} isWide />
          <CheckInput name="isOn" label="Switched on" />
        </Fields>
      </Form>
      <UnsavedDialog {...guard.dialog} />
    </>
  );
}

export function Forms() {
  const [isConfirming, setConfirming] = useState(false);
  return (
    <States
      least={420}
      of={{
        'Changes are kept until they are saved; leaving asks': (
          <Card title="A form" purpose="What it is for">
            <Sample />
          </Card>
        ),
        'Read only': (
          <Card title="A form that cannot be changed">
            <Sample refusal="Only administrators of this organisation change this." />
          </Card>
        ),
        'A file': (
          <FilePicker label="Choose a picture" types={['image/png']} maxBytes={100_000} onFile={(file) => toast.info(file.name)}>
            PNG, at most 100 kB
          </FilePicker>
        ),
        'A question': (
          <>
            <Button variant="outlined" onClick={() => setConfirming(true)}>
              Delete it
            </Button>
            <ConfirmDialog
              isOpen={isConfirming}
              title="Delete this thing?"
              onNo={() => setConfirming(false)}
              onYes={() => setConfirming(false)}
            >
              It goes for good.
            </ConfirmDialog>
          </>
        ),
      }}
    />
  );
}
