/** How long data is kept: never longer than the portal's own limits. */
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
  const tooMuch = (value: number | null, most: number) =>
    value !== null && value > most ? `At most ${exact(most)}, which is the portal’s own.` : undefined;
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
          label="Months that alerts are kept"
          type="number"
          hint={`Empty: the portal’s own, ${exact(months)} months.`}
        />
        <TextInput
          name="eventRetentionDays"
          label="Days that raw events are kept"
          type="number"
          hint={`Empty: the portal’s own, ${exact(days)} days.`}
        />
      </Fields>
    </PartForm>
  );
}
