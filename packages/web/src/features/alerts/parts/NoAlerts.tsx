/** Empty states of the alert list: page out of range, filters without matches, no alerts. */
import Button from '@mui/material/Button';
import { EmptyState } from '../../../kit/States.tsx';
import { visibleText } from '../../../kit/visible.ts';
import { AppLink } from '../../../lib/AppLink.tsx';
import { paths } from '../../../lib/paths.ts';
import type { Scope } from '../../../lib/scope.ts';
import { timeShown } from '../listSubtitle.ts';

interface Props {
  page: number;
  isFiltered: boolean;
  portal: Scope;
  onClear: () => void;
  onFirst: () => void;
}

export function NoAlerts({ page, isFiltered, portal, onClear, onFirst }: Props) {
  if (page > 1)
    return (
      <EmptyState
        title="Page not found"
        text={`The list has fewer than ${page} pages.`}
        actions={
          <Button variant="outlined" size="small" onClick={onFirst}>
            Go to first page
          </Button>
        }
      />
    );
  if (isFiltered)
    return (
      <EmptyState
        title="No alerts match these filters"
        text={`Filters apply to ${timeShown(portal)}. Remove a filter or select a longer timeframe.`}
        actions={
          <Button variant="outlined" size="small" onClick={onClear}>
            Clear all filters
          </Button>
        }
      />
    );
  const whose =
    portal.deviceName !== undefined
      ? visibleText(portal.deviceName)
      : portal.client === 0
        ? 'all clients'
        : portal.clientName || 'your organisation';
  return (
    <EmptyState
      title={`No alerts: ${timeShown(portal)}`}
      text={`No detections for ${whose} in this timeframe. Select a longer timeframe or check that the data sources are reporting.`}
      actions={
        <Button component={AppLink} href={paths.devices(portal.client)} variant="outlined" size="small">
          Data Sources
        </Button>
      }
    />
  );
}
