/** Adds a target: the product, instructions, and a form made from the fields of its kind. A generated secret is shown once. */
import Button from '@mui/material/Button';
import type { TargetKind } from '@parapet/contract/deliveries.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { FormDialog } from '../../../kit/FormDialog.tsx';
import { TextInput } from '../../../kit/fields.tsx';
import { Modal } from '../../../kit/Modal.tsx';
import { Note } from '../../../kit/Note.tsx';
import { TextSkeleton } from '../../../kit/Skeletons.tsx';
import { FailedState } from '../../../kit/States.tsx';
import { showFormError } from '../../../lib/problems.ts';
import { Choices, Instructions } from '../../connections/parts/Instructions.tsx';
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
    <Modal title="Add target" onClose={onClose} maxWidth="md" actions={<Button onClick={onClose}>Cancel</Button>}>
      {!kinds.data &&
        (kinds.error ? (
          <FailedState what="kinds" error={kinds.error} onRetry={() => void kinds.refetch()} />
        ) : (
          <TextSkeleton lines={2} lineHeight={48} />
        ))}
      {kinds.data && (
        <Choices aria-label="Kinds of targets">
          {kinds.data.results.map(({ id, title, isAllowed }) => (
            <li key={id} title={isAllowed ? undefined : 'Added by your provider. Contact them.'}>
              <Button variant="outlined" disabled={!isAllowed} onClick={() => setChosen(id)}>
                {title}
              </Button>
            </li>
          ))}
        </Choices>
      )}
    </Modal>
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
  const save = async (body: Values) => {
    try {
      const made = await create.mutateAsync({ params: { client }, body: { ...body, kind: kind.id } });
      if (made.secret === null) onClose();
      else setSecret(made.secret);
    } catch (error) {
      showFormError(form, error);
    }
  };
  const { example } = kind;
  if (secret !== undefined) return <SecretDialog secret={secret} onClose={onClose} />;
  return (
    <FormDialog title={`Add ${kind.title}`} form={form} onSave={save} saveText="Add target" onClose={onClose} maxWidth="md">
      <Instructions kind={kind} />
      {example && (
        <Note
          actions={
            <Button size="small" onClick={() => form.setValue('values', { ...initialValues(kind.fields), ...example })}>
              Fill in
            </Button>
          }
        >
          This demo simulates {kind.title}: fill in its values to try the target.
        </Note>
      )}
      <TextInput name="name" label="Name" hint="Shown in lists; for example the channel or team" isRequired maxLength={200} />
      <ValueInputs fields={kind.fields} />
    </FormDialog>
  );
}
