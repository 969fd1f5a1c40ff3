/** Data retention of an organisation, at most the portal’s own limits. */
import { type ClientDetails, organisationsApi } from '@parapet/contract/organisations.ts';
import { useQuery } from '@tanstack/react-query';
import { DefinitionList } from '../../../kit/DefinitionList.tsx';
import { Fields, TextInput } from '../../../kit/fields.tsx';
import { exact } from '../../../kit/numbers.ts';
import { AbsoluteTime } from '../../../kit/RelativeTime.tsx';
import { Section } from '../../../kit/Section.tsx';
import { TextSkeleton } from '../../../kit/Skeletons.tsx';
import { FailedLine } from '../../../kit/States.tsx';
import { queryOptionsOf } from '../../../lib/query.ts';
import { useScope } from '../../../lib/scope.ts';
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
    <>
      <Held id={details.id} />
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
    </>
  );
}

/** Data stored now. Expired rows are deleted by a daily job, so it may exceed the settings by a day. */
function Held({ id }: { id: number }) {
  const { timeZone } = useScope();
  const { data, error, refetch } = useQuery(queryOptionsOf(organisationsApi.held, { params: { id } }));
  const facts = (['events', 'alerts', 'cases'] as const).map((kind) => ({
    name: heldLabel[kind],
    value: data && (
      <>
        {exact(data[kind].count)}
        {data[kind].oldest && (
          <>
            , oldest <AbsoluteTime at={data[kind].oldest} timeZone={timeZone} />
          </>
        )}
      </>
    ),
  }));
  return (
    <Section title="Held now">
      {data ? (
        <DefinitionList facts={facts} minWidth={220} />
      ) : error ? (
        <FailedLine what="the data held" error={error} onRetry={() => void refetch()} />
      ) : (
        <TextSkeleton lines={2} />
      )}
    </Section>
  );
}

const heldLabel = { events: 'Raw events', alerts: 'Alerts', cases: 'Cases' } as const;
