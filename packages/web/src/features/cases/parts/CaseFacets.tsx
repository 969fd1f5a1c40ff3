/** Filters of the case list, with counts of the timeframe. */
import { styled } from '@mui/material/styles';
import type { casesApi } from '@parapet/contract/cases.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { caseStatuses, resolutionLabel, resolutionValues } from '@parapet/contract/rules/cases.ts';
import { judgedVerdicts } from '@parapet/contract/rules/judgement.ts';
import { memo } from 'react';
import { FacetList, type FacetOption } from '../../../kit/FacetList.tsx';
import { FacetLists } from '../../../kit/FacetPane.tsx';
import { palette } from '../../../kit/palette.ts';
import { SeverityIcon, severityLabel, severityNames } from '../../../kit/Severity.tsx';
import { FailedLine } from '../../../kit/States.tsx';
import type { Query } from '../../../lib/paths.ts';
import type { CaseFilters } from '../caseList.ts';

export type Facets = AnswerOf<typeof casesApi.filters>;

const Note = styled('p')({ margin: 0, fontSize: 12, color: palette.text.secondary });

interface Props {
  facets: Facets | undefined;
  error: unknown;
  onRetry: () => unknown;
  filters: CaseFilters;
  /** The address names the device. Counts are the client's, so they are left out then. */
  hasDevice: boolean;
  onChange: (patch: Query) => void;
}

export const CaseFacets = memo(function CaseFacets({ facets, error, onRetry, filters, hasDevice, onChange }: Props) {
  /** All values in their order, also those without cases, so that the list never jumps. */
  const whole = (
    field: keyof Facets,
    all: readonly { value: string; label: string; icon?: React.ReactNode }[],
  ): FacetOption[] | undefined =>
    facets &&
    all.map((option) => ({
      ...option,
      ...(hasDevice ? {} : { count: facets[field].find(({ value }) => value === option.value)?.count ?? 0 }),
    }));
  const state = (name: 'answered' | 'breached' | 'waiting' | 'excluded', value: string) => (isOn: boolean) =>
    onChange({ [name]: isOn ? value : undefined });
  const toggles = [
    { value: 'breached', label: 'Target breached', isOn: filters.breached === true, set: state('breached', 'true') },
    { value: 'waiting', label: 'Waiting for client', isOn: filters.waiting === true, set: state('waiting', 'true') },
    { value: 'answered', label: 'New client answer', isOn: filters.answered === true, set: state('answered', 'true') },
    { value: 'suppressed', label: 'Suppressed', isOn: filters.excluded === true, set: state('excluded', 'true') },
    { value: 'unsuppressed', label: 'Not suppressed', isOn: filters.excluded === false, set: state('excluded', 'false') },
  ];
  if (error && !facets) return <FailedLine what="filters" error={error} onRetry={() => void onRetry()} />;
  return (
    <FacetLists>
      <FacetList
        title="Criticality"
        expected={5}
        options={whole(
          'severity',
          severityNames.map((name) => ({ value: name, label: severityLabel[name], icon: <SeverityIcon severity={name} /> })),
        )}
        selected={filters.severity}
        onChange={(severity) => onChange({ severity })}
      />
      <FacetList
        title="Status"
        expected={7}
        options={whole('status', caseStatuses)}
        selected={filters.status}
        onChange={(status) => onChange({ status })}
      />
      <FacetList
        title="State"
        options={toggles.map(({ value, label }) => ({ value, label }))}
        selected={toggles.filter(({ isOn }) => isOn).map(({ value }) => value)}
        onChange={(chosen) => {
          for (const { value, isOn, set } of toggles) if (chosen.includes(value) !== isOn) set(!isOn);
        }}
      />
      <FacetList
        title="Resolution"
        expected={6}
        options={whole(
          'resolution',
          resolutionValues.map((value) => ({ value, label: resolutionLabel(value) })),
        )}
        selected={filters.resolution}
        onChange={(resolution) => onChange({ resolution })}
      />
      <FacetList
        title="Verdict"
        expected={5}
        options={whole(
          'verdict',
          judgedVerdicts
            .filter((verdict) => facets?.verdict.some(({ value }) => value === verdict) || filters.verdict.includes(verdict))
            .map((verdict) => ({ value: verdict, label: verdict })),
        )}
        selected={filters.verdict}
        onChange={(verdict) => onChange({ verdict })}
      />
      <FacetList
        title="Analyst"
        options={facets?.analyst.map(({ value, label, count }) => ({ value, label, ...(hasDevice ? {} : { count }) }))}
        selected={filters.analyst.map(String)}
        onChange={(analyst) => onChange({ analyst })}
      />
      {facets && !hasDevice && <Note>Counts cover the whole timeframe.</Note>}
    </FacetLists>
  );
});
