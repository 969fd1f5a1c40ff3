/** Filters of the alert list, with counts of the timeframe. */
import { styled } from '@mui/material/styles';
import { alertDispositions, type alertsApi } from '@parapet/contract/alerts.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { reconciliationLabels } from '@parapet/contract/rules/reconciliation.ts';
import { memo } from 'react';
import { FacetList, type FacetOption } from '../../../kit/FacetList.tsx';
import { FacetLists } from '../../../kit/FacetPane.tsx';
import { palette } from '../../../kit/palette.ts';
import { SeverityIcon, type SeverityName, severityNames } from '../../../kit/Severity.tsx';
import { FailedLine } from '../../../kit/States.tsx';
import type { Query } from '../../../lib/paths.ts';
import type { AlertFilters } from '../alertList.ts';

export type Facets = AnswerOf<typeof alertsApi.filters>;

const Note = styled('p')({ margin: 0, fontSize: 12, color: palette.text.secondary });

interface Props {
  facets: Facets | undefined;
  error: unknown;
  onRetry: () => unknown;
  filters: AlertFilters;
  /** The address names the device, which cannot be selected then. */
  hasDevice: boolean;
  onChange: (change: Query) => void;
}

export const AlertFacets = memo(function AlertFacets({ facets: known, error, onRetry, filters, hasDevice, onChange }: Props) {
  if (error && !known) return <FailedLine what="filters" error={error} onRetry={() => void onRetry()} />;
  // Counts are the client's, so they are left out beside a device's list.
  const facets = known && hasDevice ? withoutCounts(known) : known;
  const severity = known && bySeverity(known.severity, !hasDevice);
  return (
    <FacetLists>
      <FacetList
        title="Severity"
        expected={5}
        options={severity}
        selected={filters.severity}
        onChange={(severity) => onChange({ severity })}
      />
      <FacetList
        title="Status"
        expected={2}
        options={facets?.status}
        selected={filters.status}
        onChange={(status) => onChange({ status })}
      />
      <FacetList
        title="Outcome"
        expected={dispositions.length}
        options={dispositions}
        selected={filters.fate}
        onChange={(disposition) => onChange({ fate: disposition })}
      />
      <FacetList
        title="Category"
        options={facets?.category}
        selected={filters.category}
        onChange={(category) => onChange({ category })}
      />
      <FacetList title="Rule" options={facets?.rule} selected={filters.rule} onChange={(rule) => onChange({ rule })} />
      {!hasDevice && (
        <FacetList
          title="Device"
          isSingle
          options={facets?.device}
          selected={filters.device ? [filters.device] : []}
          onChange={([device]) => onChange({ device })}
        />
      )}
      <FacetList
        title="User"
        isSingle
        options={facets?.user}
        selected={filters.user ? [filters.user] : []}
        onChange={([user]) => onChange({ user })}
      />
      {known && !hasDevice && <Note>Counts cover the whole timeframe.</Note>}
    </FacetLists>
  );
});

/** Without counts: the reconciliation has those of the timeframe. */
const dispositions = alertDispositions.map((value) => ({ value, label: reconciliationLabels[value] }));

type Counted = { value: string; label: string; count?: number };

const withoutCounts = (facets: Facets): Record<keyof Facets, Counted[]> => {
  const bare = (options: Counted[]) => options.map(({ value, label }) => ({ value, label }));
  return {
    severity: bare(facets.severity),
    status: bare(facets.status),
    category: bare(facets.category),
    rule: bare(facets.rule),
    device: bare(facets.device),
    user: bare(facets.user),
  };
};

/** All five, worst first, also those without alerts, so that the list never jumps. */
function bySeverity(options: Facets['severity'], hasCounts: boolean): FacetOption[] {
  return severityNames.map((name: SeverityName) => ({
    value: name,
    label: options.find((option) => option.value === name)?.label ?? name[0]?.toUpperCase() + name.slice(1),
    ...(hasCounts ? { count: options.find((option) => option.value === name)?.count ?? 0 } : {}),
    icon: <SeverityIcon severity={name} />,
  }));
}
