/** Data retention of an organisation, at most the portal’s own limits. */
import { type ClientDetails, organisationsApi } from '@parapet/contract/organisations.ts';
import { Fields, TextInput } from '../../../kit/fields.tsx';
import { exact } from '../../../kit/numbers.ts';
import { PartForm } from './PartForm.tsx';

interface Values {
  alertRetentionMonths: number | null;
  eventRetentionDays: number | null;
}

export function RetentionTab({ details }: { details: ClientDetails }) {
  const { alertRetentionMonths: months, eventRetentionDays: days } = details.retentionDefaults;
  const tooMuch = (value: number | null, limit: number) =>
    value !== null && value > limit ? `Must be at most ${exact(limit)}, the portal’s limit.` : undefined;
  return (
    <PartForm<Values>
      details={details}
      endpoint={organisationsApi.updateRetention}
      label="Retention"
      valuesOf={({ retention }) => retention}
      further={(values) => ({
        alertRetentionMonths: tooMuch(values.alertRetentionMonths, months),
        eventRetentionDays: tooMuch(values.eventRetentionDays, days),
      })}
    >
      <Fields>
        <TextInput
          name="alertRetentionMonths"
          label="Alert retention (months)"
          type="number"
          hint={`Default: ${exact(months)} months.`}
        />
        <TextInput
          name="eventRetentionDays"
          label="Raw event retention (days)"
          type="number"
          hint={`Default: ${exact(days)} days.`}
        />
      </Fields>
    </PartForm>
  );
}
