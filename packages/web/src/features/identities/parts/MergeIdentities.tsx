/** Makes two user names one identity. */
import { identitiesApi } from '@parapet/contract/identities.ts';
import { useForm } from 'react-hook-form';
import { FormDialog } from '../../../kit/FormDialog.tsx';
import { Fields, TextInput } from '../../../kit/fields.tsx';
import { resolverOf } from '../../../kit/form.ts';
import { showFormError } from '../../../lib/problems.ts';
import { useMerge } from '../identities.queries.ts';

interface Values {
  clientOrganizationID: number;
  name: string;
  sameAs: string;
  reason: string;
}

export function MergeIdentities({ client, onClose }: { client: number; onClose: () => void }) {
  const merge = useMerge();
  const form = useForm<Values>({
    defaultValues: { clientOrganizationID: client, name: '', sameAs: '', reason: '' },
    resolver: resolverOf<Values, unknown>(identitiesApi.merge.body),
  });
  return (
    <FormDialog
      title="Merge identities"
      form={form}
      onClose={onClose}
      onSave={(body) => merge.mutateAsync({ body }).then(onClose, (error) => showFormError(form, error))}
    >
      <Fields>
        <TextInput name="name" label="User name" hint="As reported, for example ALDER\ana." isRequired />
        <TextInput name="sameAs" label="Same person as" hint="For example ana.silva@alder.example." isRequired />
        <TextInput name="reason" label="Reason" hint="Open cases with these names are correlated again." isRequired />
      </Fields>
    </FormDialog>
  );
}
