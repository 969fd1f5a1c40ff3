/** Name, address, contact and service level. The form for a new organisation uses the same fields. */
import { type ClientDetails, organisationsApi, subscriptionLevels } from '@parapet/contract/organisations.ts';
import { Fields, SelectInput, TextInput } from '../../../kit/fields.tsx';
import { useScope } from '../../../lib/scope.ts';
import { useUser } from '../../../lib/useSession.ts';
import { AnalystTime } from './AnalystTime.tsx';
import { PartForm } from './PartForm.tsx';

export function GeneralFields({ within = '', isLevelFixed = false }: { within?: string; isLevelFixed?: boolean }) {
  return (
    <Fields>
      <TextInput name={`${within}name`} label="Name" isRequired maxLength={200} />
      <SelectInput
        name={`${within}subscriptionLevelID`}
        label="Subscription level"
        isRequired
        isReadOnly={isLevelFixed}
        hint={isLevelFixed ? 'Set by your partner.' : undefined}
        choices={subscriptionLevels.map(({ id, name }) => ({ value: id, label: name }))}
      />
      <TextInput
        name={`${within}industry`}
        label="Industry"
        hint="Used for comparisons with similar organisations."
        maxLength={200}
      />
      <TextInput name={`${within}phoneNumber`} label="Phone number" type="tel" maxLength={40} />
      <TextInput name={`${within}emailAddress`} label="Email" type="email" maxLength={254} />
      <TextInput name={`${within}websiteURL`} label="Website" type="url" maxLength={500} />
      <TextInput name={`${within}addressData.street`} label="Street and number" maxLength={200} />
      <TextInput name={`${within}addressData.suite`} label="Suite, floor or building" maxLength={200} />
      <TextInput name={`${within}addressData.city`} label="City" maxLength={200} />
      <TextInput name={`${within}addressData.state`} label="State or region" maxLength={200} />
      <TextInput name={`${within}addressData.zipCode`} label="Postal code" maxLength={20} />
    </Fields>
  );
}

export function GeneralTab({ details }: { details: ClientDetails }) {
  const isPartner = useUser()?.isPartner ?? false;
  const { may, who } = useScope();
  const form = (
    <PartForm details={details} endpoint={organisationsApi.updateGeneral} label="General" valuesOf={({ general }) => general}>
      <GeneralFields isLevelFixed={!isPartner} />
    </PartForm>
  );
  if (details.id !== who.organisationId || !may('rules:write')) return form;
  return (
    <div style={{ display: 'grid', gap: 28 }}>
      {form}
      <AnalystTime />
    </div>
  );
}
