/** Rotates a generated secret, or replaces the others. */
import Button from '@mui/material/Button';
import type { DeliveryTarget } from '@parapet/contract/deliveries.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { FormDialog } from '../../../kit/FormDialog.tsx';
import { Modal } from '../../../kit/Modal.tsx';
import { TextSkeleton } from '../../../kit/Skeletons.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { savingForm } from '../../../lib/problems.ts';
import { initialValues, ValueInputs } from '../../connections/parts/ValueInputs.tsx';
import { targetKindsQuery, useReplaceSecrets } from '../deliveries.queries.ts';
import { SecretDialog } from './SecretDialog.tsx';

interface Values {
  values: Record<string, string>;
}

export function ReplaceTargetSecrets({ target, onClose }: { target: DeliveryTarget; onClose: () => void }) {
  const kinds = useQuery(targetKindsQuery);
  const kind = kinds.data?.results.find(({ id }) => id === target.kind);
  const fields = kind?.fields.filter(({ isSecret }) => isSecret) ?? [];
  const replace = useReplaceSecrets();
  const [secret, setSecret] = useState<string>();
  const form = useForm<Values>({ defaultValues: { values: {} }, values: { values: initialValues(fields) } });
  const save = savingForm(form, async (body: Values) => {
    const params = { client: target.clientOrganizationID, target: target.id };
    const answer = await replace.mutateAsync({ params, body });
    if (answer.secret === null) onClose();
    else setSecret(answer.secret);
  });
  if (secret !== undefined) return <SecretDialog secret={secret} isRotated onClose={onClose} />;
  if (!kind)
    return (
      <Modal title="Rotate secret" onClose={onClose} actions={<Button onClick={onClose}>Cancel</Button>}>
        <TextSkeleton lines={2} lineHeight={40} />
      </Modal>
    );
  return (
    <FormDialog title="Rotate secret" form={form} onSave={save} saveText="Rotate secret" onClose={onClose}>
      <p style={{ margin: 0 }}>
        {kind.hasSigningSecret ? (
          <>
            The portal generates a new signing secret for <VisibleText text={target.name} />. Requests carry signatures of both
            secrets for 24 hours.
          </>
        ) : (
          <>
            Enter the new secret of <VisibleText text={target.name} />. Failed deliveries are tried again with it at once.
          </>
        )}
      </p>
      <ValueInputs fields={fields} />
    </FormDialog>
  );
}
