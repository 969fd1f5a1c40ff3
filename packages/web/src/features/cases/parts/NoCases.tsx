/** Empty states of the case list: page out of range, filters without matches, no cases. */
import Button from '@mui/material/Button';
import { EmptyState } from '../../../kit/States.tsx';
import { visibleText } from '../../../kit/visible.ts';
import { AppLink } from '../../../lib/AppLink.tsx';
import { paths } from '../../../lib/paths.ts';
import type { Scope } from '../../../lib/scope.ts';
import { timeShown } from '../../alerts/listSubtitle.ts';

interface Props {
  page: number;
  isFiltered: boolean;
  portal: Scope;
  onClear: () => void;
  onFirst: () => void;
}

export function NoCases({ page, isFiltered, portal, onClear, onFirst }: Props) {
  const button = (text: string, onClick: () => void) => (
    <Button variant="outlined" size="small" onClick={onClick}>
      {text}
    </Button>
  );
  if (page > 1)
    return (
      <EmptyState
        title="Page not found"
        text={`The list has fewer than ${page} pages.`}
        actions={button('Go to first page', onFirst)}
      />
    );
  if (isFiltered)
    return (
      <EmptyState
        title="No cases match these filters"
        text={`Filters apply to cases opened in ${timeShown(portal)}. Remove a filter or select a longer timeframe.`}
        actions={button('Clear all filters', onClear)}
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
      title={`No cases: ${timeShown(portal)}`}
      text={`No alerts of ${whose} were correlated into a case in this timeframe. There may still be single alerts.`}
      actions={
        <Button component={AppLink} href={paths.alerts(portal.client)} variant="outlined" size="small">
          Alerts
        </Button>
      }
    />
  );
}
