/** Data held of an organisation now, the retention of raw events and alerts, and the legal hold. */
import { styled } from '@mui/material/styles';
import { type ClientDetails, organisationsApi } from '@parapet/contract/organisations.ts';
import type { RetentionState } from '@parapet/contract/retention.ts';
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
import { retentionQuery } from '../retention.queries.ts';
import { archiveText, diskText, sizeText } from '../retention.ts';
import { EventRetention, RetentionLimits } from './EventRetention.tsx';
import { LegalHold } from './LegalHold.tsx';
import { PartForm } from './PartForm.tsx';
import { RetentionList } from './RetentionList.tsx';

const Column = styled('div')({ display: 'grid', gap: 28, '& > *': { minWidth: 0 } });

interface Values {
  alertRetentionMonths: number | null;
}

export function RetentionTab({ details }: { details: ClientDetails }) {
  const { alertRetentionMonths: months } = details.retentionDefaults;
  const state = useQuery(retentionQuery(details.id));
  return (
    <Column>
      <Held id={details.id} state={state.data} />
      {state.data ? (
        <>
          <LegalHold client={details.id} name={details.general.name} state={state.data} isPartner={details.isPartner} />
          <EventRetention client={details.id} state={state.data} />
          {state.data.can.saveLimits && details.id === 1 && <RetentionLimits state={state.data} />}
          {state.data.can.decide && details.isPartner && <RetentionList />}
        </>
      ) : state.error ? (
        <FailedLine what="the retention" error={state.error} onRetry={() => void state.refetch()} />
      ) : (
        <TextSkeleton lines={4} />
      )}
      <Section title="Alerts" isPlain>
        <PartForm<Values>
          details={details}
          endpoint={organisationsApi.updateRetention}
          label="Alert retention"
          valuesOf={({ retention }) => retention}
          further={({ alertRetentionMonths: value }) => ({
            alertRetentionMonths:
              value !== null && value > months ? `Must be at most ${exact(months)}, the portal’s limit.` : undefined,
          })}
        >
          <Fields>
            <TextInput
              name="alertRetentionMonths"
              label="Alert retention (months)"
              type="number"
              hint={`Default: ${exact(months)} months.`}
            />
          </Fields>
        </PartForm>
      </Section>
    </Column>
  );
}

/** Data stored now. Expired rows are deleted by a daily job, so it may exceed the settings by a day. */
function Held({ id, state }: { id: number; state: RetentionState | undefined }) {
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
  const sizes = state
    ? [
        { name: 'Size of raw events', value: sizeText(state.kept) },
        { name: 'Archive', value: archiveText(state.archive) },
        { name: 'Disk', value: state.can.decide ? diskText(state.disk) : null },
      ]
    : [];
  return (
    <Section title="Held now">
      {data ? (
        <DefinitionList facts={[...facts, ...sizes]} minWidth={220} />
      ) : error ? (
        <FailedLine what="the data held" error={error} onRetry={() => void refetch()} />
      ) : (
        <TextSkeleton lines={2} />
      )}
    </Section>
  );
}

const heldLabel = { events: 'Raw events', alerts: 'Alerts', cases: 'Cases' } as const;
