/** Form of a new partner. Its brand is set on the next page. */
import Button from '@mui/material/Button';
import { providerId } from '@parapet/contract/access.ts';
import type { InputOf } from '@parapet/contract/endpoint.ts';
import { organisationsApi } from '@parapet/contract/organisations.ts';
import { useForm } from 'react-hook-form';
import { Card } from '../../../kit/Card.tsx';
import { Form } from '../../../kit/Form.tsx';
import { Fields, TextInput } from '../../../kit/fields.tsx';
import { resolverOf } from '../../../kit/form.ts';
import { Note } from '../../../kit/Note.tsx';
import { UnsavedDialog } from '../../../kit/UnsavedDialog.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { useGo } from '../../../lib/address.ts';
import { paths } from '../../../lib/paths.ts';
import { savingForm } from '../../../lib/problems.ts';
import { useLeaveGuard } from '../../../lib/useLeaveGuard.ts';
import { newGeneral } from '../newClient.ts';
import { useCreateOrganisation } from '../organisations.queries.ts';
import { GeneralFields } from './GeneralTab.tsx';

type Values = NonNullable<InputOf<typeof organisationsApi.create>['body']>;

const resolver = resolverOf<Values, unknown>(organisationsApi.create.body);

export function NewPartnerForm() {
  const create = useCreateOrganisation();
  const go = useGo();
  const form = useForm<Values>({
    resolver,
    // Partners belong to the provider.
    defaultValues: { isPartner: true, partnerClientOrgID: providerId, subDomain: '', general: newGeneral },
  });
  const guard = useLeaveGuard(form.formState.isDirty);
  const save = savingForm(form, async (body: Values) => {
    // Resolves after the client selector’s list includes the new organisation.
    const { id } = await create.mutateAsync({ body });
    guard.free();
    go(paths.clientDetails('branding', { client: id }), { replace: true });
  });
  return (
    <Card title="General">
      <Form
        form={form}
        label="New partner"
        onSave={save}
        isNew
        saveText="Create partner"
        actions={
          <Button component={AppLink} href={paths.clientDetails('general')}>
            Cancel
          </Button>
        }
      >
        <Note>Partners manage clients under their own brand. Set colours and logos on the next page.</Note>
        <Fields>
          <TextInput name="subDomain" label="Sub-domain" isRequired maxLength={63} hint="First label of the brand’s host name." />
        </Fields>
        <GeneralFields within="general." />
      </Form>
      <UnsavedDialog {...guard.dialog} />
    </Card>
  );
}
