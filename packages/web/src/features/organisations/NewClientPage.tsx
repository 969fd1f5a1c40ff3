/** New organisation (/apps/clientdetails/create/general): a client of a partner or, for the provider’s Host, a partner. */
import Button from '@mui/material/Button';
import FormControlLabel from '@mui/material/FormControlLabel';
import Radio from '@mui/material/Radio';
import RadioGroup from '@mui/material/RadioGroup';
import { providerId } from '@parapet/contract/access.ts';
import type { InputOf } from '@parapet/contract/endpoint.ts';
import { type ClientOrganization, organisationsApi } from '@parapet/contract/organisations.ts';
import { subscriptionLevelIds } from '@parapet/contract/rules/values.ts';
import { useForm } from 'react-hook-form';
import { Card } from '../../kit/Card.tsx';
import { Form } from '../../kit/Form.tsx';
import { Fields, SelectInput, TextInput } from '../../kit/fields.tsx';
import { requiredText, resolverOf } from '../../kit/form.ts';
import { Note } from '../../kit/Note.tsx';
import { PageHeader } from '../../kit/PageHeader.tsx';
import { EmptyState } from '../../kit/States.tsx';
import { UnsavedDialog } from '../../kit/UnsavedDialog.tsx';
import { AppLink } from '../../lib/AppLink.tsx';
import { useGo } from '../../lib/address.ts';
import { paths } from '../../lib/paths.ts';
import { showFormError } from '../../lib/problems.ts';
import { useScope } from '../../lib/scope.ts';
import { useTitle } from '../../lib/title.ts';
import { useLeaveGuard } from '../../lib/useLeaveGuard.ts';
import { useCreateOrganisation } from './organisations.queries.ts';
import { GeneralFields } from './parts/GeneralTab.tsx';

type Values = NonNullable<InputOf<typeof organisationsApi.create>['body']>;

/** Partners belong to the provider; only partners have a sub-domain. */
const bodyOf = ({ subDomain, ...values }: Values): Values =>
  values.isPartner ? { ...values, partnerClientOrgID: providerId, subDomain: subDomain?.trim() || undefined } : values;

const resolver = resolverOf<Values, unknown>(
  { safeParse: (values) => organisationsApi.create.body.safeParse(bodyOf(values as Values)) },
  ({ isPartner, subDomain }) => ({ subDomain: isPartner && !subDomain ? requiredText : undefined }),
);

/** Default partner: the selected one, or the partner of the selected client. */
function partnerOf(clients: readonly ClientOrganization[], client: number, ownId: number): number {
  const chosen = clients.find(({ id }) => id === client);
  if (chosen) return chosen.isPartner ? chosen.id : (chosen.partnerClientOrgID ?? ownId);
  return ownId;
}

export function NewClientPage() {
  useTitle('New client');
  const { may, clients } = useScope();
  if (!may('clients:manage')) {
    return (
      <>
        <PageHeader title="New client" />
        <EmptyState
          title="You can’t create clients"
          text="Only administrators of partners can. Your role can read client details."
        />
      </>
    );
  }
  // The form’s default partner comes from this list.
  return clients.length > 0 ? <NewClientForm /> : <PageHeader title="New client" />;
}

function NewClientForm() {
  const { clients, client, who, may } = useScope();
  const create = useCreateOrganisation();
  const go = useGo();
  const mayPartner = may('partners:manage') && who.organisationId === providerId;
  const form = useForm<Values>({
    resolver,
    defaultValues: {
      isPartner: false,
      partnerClientOrgID: partnerOf(clients, client, who.organisationId),
      subDomain: '',
      general: {
        name: '',
        phoneNumber: '',
        emailAddress: '',
        websiteURL: '',
        industry: '',
        subscriptionLevelID: subscriptionLevelIds.monitor,
        addressData: { street: '', suite: '', city: '', state: '', zipCode: '' },
      },
    },
  });
  const guard = useLeaveGuard(form.formState.isDirty);
  const isPartner = form.watch('isPartner');

  const save = async (values: Values) => {
    try {
      // Resolves after the client selector’s list includes the new organisation.
      const created = await create.mutateAsync({ body: bodyOf(values) });
      guard.free();
      go(paths.clientDetails(created.isPartner ? 'branding' : 'setup', { client: created.id }), { replace: true });
    } catch (error) {
      showFormError(form, error);
    }
  };

  return (
    <>
      <PageHeader
        title={isPartner ? 'New partner' : 'New client'}
        purpose="A separate organisation with its own users and data"
      />
      <div style={{ maxWidth: 960 }}>
        <Card title="General">
          <Form
            form={form}
            label="New client"
            onSave={save}
            isNew
            saveText={isPartner ? 'Create partner' : 'Create client'}
            actions={
              <Button component={AppLink} href={paths.clientDetails('general')}>
                Cancel
              </Button>
            }
          >
            {mayPartner && (
              <RadioGroup
                row
                aria-label="Organisation type"
                value={isPartner ? 'partner' : 'client'}
                onChange={(_, value) => form.setValue('isPartner', value === 'partner', { shouldDirty: true })}
              >
                <FormControlLabel value="client" control={<Radio size="small" />} label="Client of a partner" />
                <FormControlLabel value="partner" control={<Radio size="small" />} label="Partner" />
              </RadioGroup>
            )}
            {isPartner ? (
              <>
                <Note>Partners manage clients under their own brand. Set colours and logos on the next page.</Note>
                <Fields>
                  <TextInput
                    name="subDomain"
                    label="Sub-domain"
                    isRequired
                    maxLength={63}
                    hint="First label of the brand’s host name."
                  />
                </Fields>
              </>
            ) : (
              <Fields>
                <SelectInput
                  name="partnerClientOrgID"
                  label="Partner"
                  isRequired
                  choices={clients.filter((each) => each.isPartner).map(({ id, name }) => ({ value: id, label: name }))}
                />
              </Fields>
            )}
            <GeneralFields within="general." />
          </Form>
        </Card>
      </div>
      <UnsavedDialog {...guard.dialog} />
    </>
  );
}
