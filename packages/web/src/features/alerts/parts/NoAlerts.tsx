/** Why there is nothing in the list, and what to do next. */
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
        title={`There is no page ${page}`}
        text="The list is shorter than that."
        actions={
          <Button variant="outlined" size="small" onClick={onFirst}>
            Go to the first page
          </Button>
        }
      />
    );
  if (isFiltered)
    return (
      <EmptyState
        title="No alert matches these filters"
        text={`Filters apply to ${timeShown(portal)}. Take one away, or choose a longer timeframe.`}
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
      text={`Nothing was detected for ${whose} in this timeframe. Choose a longer one, or look whether the data sources report.`}
      actions={
        <Button component={AppLink} href={paths.devices(portal.client)} variant="outlined" size="small">
          Data Sources
        </Button>
      }
    />
  );
}
