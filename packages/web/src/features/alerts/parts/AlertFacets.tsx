/** What the list can be filtered by, with counts of the timeframe. Beside the list where there is room, else in a drawer. */
import CloseRounded from '@mui/icons-material/CloseRounded';
import Drawer from '@mui/material/Drawer';
import IconButton from '@mui/material/IconButton';
import { styled } from '@mui/material/styles';
import type { alertsApi } from '@parapet/contract/alerts.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { FacetList, type FacetOption } from '../../../kit/FacetList.tsx';
import { SeverityIcon, type SeverityName, severityNames } from '../../../kit/Severity.tsx';
import { FailedLine } from '../../../kit/States.tsx';
import type { AlertFilters, AlertsChange } from '../useAlertFilters.ts';

export type Facets = AnswerOf<typeof alertsApi.filters>;

const Lists = styled('div')({ display: 'flex', flexDirection: 'column', gap: 18 });
/** As tall as the list beside it, and scrolling by itself: the filters never make the page longer than the list does. */
const Beside = styled('aside')({
  position: 'relative',
  flex: '0 0 200px',
  alignSelf: 'stretch',
  minHeight: 'max(480px, calc(100dvh - 330px))',
});
const Scroll = styled('div')({
  position: 'absolute',
  inset: '0 -12px 0 -8px',
  padding: '4px 12px 8px 8px',
  overflowY: 'auto',
  scrollbarWidth: 'thin',
});
const Note = styled('p')(({ theme }) => ({ margin: 0, fontSize: 12, color: (theme.vars ?? theme).palette.text.secondary }));
const Head = styled('div')({
  display: 'flex',
  alignItems: 'center',
  justifyContent: 'space-between',
  padding: '8px 8px 8px 16px',
  fontSize: 16,
  fontWeight: 600,
});

interface Props {
  facets: Facets | undefined;
  error: unknown;
  onRetry: () => void;
  filters: AlertFilters;
  /** The address names the device: it cannot be chosen then. */
  hasDevice: boolean;
  onChange: (change: AlertsChange) => void;
}

function FacetLists({ facets: known, error, onRetry, filters, hasDevice, onChange }: Props) {
  if (error && !known) return <FailedLine what="The filters" error={error} onRetry={onRetry} />;
  // The counts are the client's; beside one device's list they would be wrong.
  const facets = known && hasDevice ? withoutCounts(known) : known;
  const severity = known && bySeverity(known.severity, !hasDevice);
  return (
    <Lists>
      <FacetList
        title="Severity"
        expected={5}
        options={severity}
        selected={filters.severity}
        onChange={(chosen) => onChange({ severity: chosen as AlertFilters['severity'] })}
      />
      <FacetList
        title="Status"
        expected={2}
        options={facets?.status}
        selected={filters.status}
        onChange={(chosen) => onChange({ status: chosen as AlertFilters['status'] })}
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
      {known && !hasDevice && <Note>Counts are of the whole timeframe.</Note>}
    </Lists>
  );
}

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

/** All five, worst first, each with its shape; what has no alerts is there with 0, so that the list never jumps. */
function bySeverity(options: Facets['severity'], hasCounts: boolean): FacetOption[] {
  return severityNames.map((name: SeverityName) => ({
    value: name,
    label: options.find((option) => option.value === name)?.label ?? name[0]?.toUpperCase() + name.slice(1),
    ...(hasCounts ? { count: options.find((option) => option.value === name)?.count ?? 0 } : {}),
    icon: <SeverityIcon severity={name} />,
  }));
}

interface PaneProps extends Props {
  isOpen: boolean;
  isBeside: boolean;
  onClose: () => void;
}

export function AlertFacets({ isOpen, isBeside, onClose, ...props }: PaneProps) {
  if (isBeside)
    return isOpen ? (
      <Beside aria-label="Filters">
        <Scroll>
          <FacetLists {...props} />
        </Scroll>
      </Beside>
    ) : null;
  return (
    <Drawer
      open={isOpen}
      onClose={onClose}
      slotProps={{ paper: { role: 'dialog', 'aria-modal': true, 'aria-label': 'Filters', sx: { width: 'min(300px, 100vw)' } } }}
    >
      <Head>
        Filters
        <IconButton size="small" aria-label="Close the filters" onClick={onClose}>
          <CloseRounded fontSize="small" />
        </IconButton>
      </Head>
      <div style={{ padding: '4px 16px 24px', overflowY: 'auto' }}>
        <FacetLists {...props} />
      </div>
    </Drawer>
  );
}
