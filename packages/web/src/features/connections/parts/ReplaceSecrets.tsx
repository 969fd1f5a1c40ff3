/** Replaces the secrets of a connection after the vendor accepted them, and resumes it. */
import type { Connection } from '@parapet/contract/connections.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { FormDialog } from '../../../kit/FormDialog.tsx';
import { Note } from '../../../kit/Note.tsx';
import { TextSkeleton } from '../../../kit/Skeletons.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { showFormError } from '../../../lib/problems.ts';
import { kindsQuery, useReplaceSecrets } from '../connections.queries.ts';
import { initialValues, refusalIn, ValueInputs } from './ValueInputs.tsx';

interface Values {
  values: Record<string, string>;
}

export function ReplaceSecrets({ connection, onClose }: { connection: Connection; onClose: () => void }) {
  const kinds = useQuery(kindsQuery);
  const fields = kinds.data?.results.find(({ id }) => id === connection.kind)?.fields.filter(({ isSecret }) => isSecret) ?? [];
  const replace = useReplaceSecrets();
  const [refusal, setRefusal] = useState<string>();
  const form = useForm<Values>({ defaultValues: { values: {} }, values: { values: initialValues(fields) } });
  const save = async (body: Values) => {
    setRefusal(undefined);
    try {
      await replace.mutateAsync({ params: { client: connection.clientOrganizationID, connection: connection.id }, body });
      onClose();
    } catch (error) {
      const text = refusalIn(error);
      if (text) setRefusal(text);
      else showFormError(form, error);
    }
  };
  return (
    <FormDialog title="Replace secrets" form={form} onSave={save} saveText="Replace secrets" onClose={onClose}>
      <p style={{ margin: 0 }}>
        The portal tries the new secrets at {connection.title} before it stores them for <VisibleText text={connection.name} />.
      </p>
      {kinds.data ? <ValueInputs fields={fields} /> : <TextSkeleton lines={2} lineHeight={40} />}
      {refusal && (
        <Note tone="warning" role="alert">
          <VisibleText text={refusal} />
        </Note>
      )}
    </FormDialog>
  );
}
