/** Adds a target: the product, instructions, and a form made from the fields of its kind. A generated secret is shown once. */
import type { TargetKind } from '@parapet/contract/deliveries.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { DemoValues } from '../../../kit/DemoValues.tsx';
import { FormDialog } from '../../../kit/FormDialog.tsx';
import { TextInput } from '../../../kit/fields.tsx';
import { savingForm } from '../../../lib/problems.ts';
import { Instructions } from '../../connections/parts/Instructions.tsx';
import { KindDialog } from '../../connections/parts/KindDialog.tsx';
import { initialValues, ValueInputs } from '../../connections/parts/ValueInputs.tsx';
import { targetKindsQuery, useCreateTarget } from '../deliveries.queries.ts';
import { SecretDialog } from './SecretDialog.tsx';

interface Props {
  client: number;
  onClose: () => void;
}

export function AddTarget({ client, onClose }: Props) {
  const kinds = useQuery(targetKindsQuery);
  const [chosen, setChosen] = useState<string>();
  const kind = kinds.data?.results.find(({ id }) => id === chosen);
  if (kind) return <KindForm client={client} kind={kind} onClose={onClose} />;
  return (
    <KindDialog title="Add target" label="Kinds of targets" what="kinds" query={kinds} onChoose={setChosen} onClose={onClose} />
  );
}

interface Values {
  name: string;
  values: Record<string, string>;
}

function KindForm({ client, kind, onClose }: Props & { kind: TargetKind }) {
  const create = useCreateTarget();
  const [secret, setSecret] = useState<string>();
  const form = useForm<Values>({ defaultValues: { name: kind.title, values: initialValues(kind.fields) } });
  const save = savingForm(form, async (body: Values) => {
    const made = await create.mutateAsync({ params: { client }, body: { ...body, kind: kind.id } });
    if (made.secret === null) onClose();
    else setSecret(made.secret);
  });
  const { example } = kind;
  if (secret !== undefined) return <SecretDialog secret={secret} onClose={onClose} />;
  return (
    <FormDialog title={`Add ${kind.title}`} form={form} onSave={save} saveText="Add target" onClose={onClose} maxWidth="md">
      <Instructions kind={kind} />
      {example && (
        <DemoValues
          title={kind.title}
          noun="target"
          onFill={() => form.setValue('values', { ...initialValues(kind.fields), ...example })}
        />
      )}
      <TextInput name="name" label="Name" hint="Shown in lists; for example the channel or team" isRequired maxLength={200} />
      <ValueInputs fields={kind.fields} />
    </FormDialog>
  );
}
