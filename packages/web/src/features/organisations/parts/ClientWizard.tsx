/** Wizard of a new client: organisation, people, review. Its last part is the setup page, which waits for the first event. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import { subscriptionLevels } from '@parapet/contract/organisations.ts';
import { Problem } from '@parapet/contract/problem.ts';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { Card } from '../../../kit/Card.tsx';
import { DefinitionList } from '../../../kit/DefinitionList.tsx';
import { Form } from '../../../kit/Form.tsx';
import { Fields, SelectInput, TextInput } from '../../../kit/fields.tsx';
import { resolverOf } from '../../../kit/form.ts';
import { palette } from '../../../kit/palette.ts';
import { UnsavedDialog } from '../../../kit/UnsavedDialog.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { useGo } from '../../../lib/address.ts';
import { paths } from '../../../lib/paths.ts';
import { showFormError } from '../../../lib/problems.ts';
import { useScope } from '../../../lib/scope.ts';
import { useLeaveGuard } from '../../../lib/useLeaveGuard.ts';
import { clientOf, intentsOf, type WizardValues, wizardChecks, wizardDefaults, wizardField } from '../newClient.ts';
import { useCreateClients } from '../organisations.queries.ts';
import { GeneralFields } from './GeneralTab.tsx';

const steps = [
  { title: 'Organisation', fields: ['partnerClientOrgID', 'general'] },
  { title: 'People', fields: ['administrator', 'escalationEmailAddresses', 'contact'] },
  { title: 'Review', fields: [] },
] as const;

const Steps = styled('ol')({
  display: 'flex',
  flexWrap: 'wrap',
  gap: '4px 24px',
  margin: 0,
  padding: 0,
  listStyle: 'none',
  fontSize: 13,
  color: palette.text.secondary,
  counterReset: 'step',
  '& > li': { counterIncrement: 'step', display: 'flex', alignItems: 'center', gap: 8 },
  '& > li::before': {
    content: 'counter(step)',
    display: 'grid',
    placeContent: 'center',
    width: 22,
    height: 22,
    borderRadius: '50%',
    border: `1px solid ${palette.divider}`,
    fontSize: 12,
    fontVariantNumeric: 'tabular-nums',
  },
  '& > li[aria-current]': { color: palette.text.primary, fontWeight: 600 },
  '& > li[aria-current]::before': {
    borderColor: palette.primary.main,
    backgroundColor: palette.primary.main,
    color: palette.primary.contrastText,
  },
});
const Heading = styled('h3')({ margin: '4px 0 0', fontSize: 14, fontWeight: 600, '& + p': { margin: 0, fontSize: 13 } });
const Intents = styled('ul')({ margin: 0, paddingLeft: 20, fontSize: 13, '& > li': { overflowWrap: 'anywhere' } });

export function ClientWizard({ partner }: { partner: number }) {
  const { clients } = useScope();
  const create = useCreateClients();
  const go = useGo();
  const [at, setAt] = useState(0);
  // Fields of other steps are not shown, and so not checked.
  const checks = wizardChecks(at === steps.length - 1 ? undefined : steps[at]!.fields);
  const form = useForm<WizardValues>({
    resolver: resolverOf<WizardValues, unknown>(checks),
    defaultValues: wizardDefaults(partner),
  });
  const guard = useLeaveGuard(form.formState.isDirty);
  const isLast = at === steps.length - 1;

  const save = async (values: WizardValues) => {
    if (!isLast) return setAt(at + 1);
    try {
      const body = { partnerClientOrgID: values.partnerClientOrgID, clients: [clientOf(values)] };
      // Resolves after the client selector’s list includes the new organisation.
      const created = await create.mutateAsync({ body });
      guard.free();
      go(paths.clientDetails('setup', { client: created.clients[0]!.id }), { replace: true });
    } catch (error) {
      const moved = atWizardFields(error);
      const field = moved instanceof Problem ? Object.keys(moved.errors ?? {})[0]?.split('.')[0] : undefined;
      const step = steps.findIndex(({ fields }) => (fields as readonly (string | undefined)[]).includes(field));
      if (step >= 0) setAt(step);
      showFormError(form, moved);
    }
  };

  return (
    <Card title={steps[at]!.title}>
      <Form
        form={form}
        label="New client"
        onSave={save}
        isNew
        saveText={isLast ? 'Create client' : 'Next'}
        actions={
          at > 0 ? (
            <Button onClick={() => setAt(at - 1)}>Back</Button>
          ) : (
            <Button component={AppLink} href={paths.clientDetails('general')}>
              Cancel
            </Button>
          )
        }
      >
        <Steps aria-label="Steps">
          {steps.map(({ title }, index) => (
            <li key={title} aria-current={index === at ? 'step' : undefined}>
              {title}
            </li>
          ))}
        </Steps>
        {at === 0 && (
          <>
            <Fields>
              <SelectInput
                name="partnerClientOrgID"
                label="Partner"
                isRequired
                choices={clients.filter((each) => each.isPartner).map(({ id, name }) => ({ value: id, label: name }))}
              />
            </Fields>
            <GeneralFields within="general." />
          </>
        )}
        {at === 1 && <People />}
        {isLast && <Review values={form.getValues()} />}
      </Form>
      <UnsavedDialog {...guard.dialog} />
    </Card>
  );
}

/** Errors of the call at the wizard’s fields. */
function atWizardFields(error: unknown): unknown {
  if (!(error instanceof Problem) || !error.errors) return error;
  const errors = Object.fromEntries(Object.entries(error.errors).map(([field, texts]) => [wizardField(field), texts]));
  return new Problem(error.code, error.message, { errors });
}

function People() {
  return (
    <>
      <Heading>Administrator</Heading>
      <p>Receives a welcome email with a link to set a password. May be added later.</p>
      <Fields>
        <TextInput name="administrator.firstName" label="First name" maxLength={100} />
        <TextInput name="administrator.lastName" label="Last name" maxLength={100} />
        <TextInput name="administrator.emailAddress" label="Administrator’s email" type="email" maxLength={254} />
      </Fields>
      <Heading>Escalation</Heading>
      <Fields>
        <TextInput
          name="escalationEmailAddresses"
          label="Escalation addresses"
          hint="Recipients of case emails, separated by commas."
          isWide
          maxLength={5_000}
        />
      </Fields>
      <Heading>Emergency contact</Heading>
      <Fields>
        <TextInput name="contact.name" label="Contact’s name" maxLength={200} />
        <TextInput name="contact.title" label="Job title" maxLength={200} />
        <TextInput name="contact.phoneNumber" label="Contact’s phone number" type="tel" maxLength={40} />
        <TextInput name="contact.emailAddress" label="Contact’s email" type="email" maxLength={254} />
        <TextInput name="contact.hours" label="Hours" hint="When they can be reached." maxLength={200} />
      </Fields>
    </>
  );
}

function Review({ values }: { values: WizardValues }) {
  const { clients } = useScope();
  const { general, administrator, contact } = values;
  return (
    <>
      <DefinitionList
        facts={[
          { name: 'Name', value: general.name },
          { name: 'Partner', value: clients.find(({ id }) => id === values.partnerClientOrgID)?.name },
          { name: 'Subscription level', value: subscriptionLevels.find(({ id }) => id === general.subscriptionLevelID)?.name },
          { name: 'Industry', value: general.industry },
          { name: 'Administrator', value: `${administrator.firstName} ${administrator.lastName}`.trim() },
          { name: 'Emergency contact', value: contact.name },
        ]}
      />
      <Intents aria-label="Summary">
        {intentsOf(clientOf(values)).map((intent) => (
          <li key={intent}>{intent}</li>
        ))}
      </Intents>
    </>
  );
}
