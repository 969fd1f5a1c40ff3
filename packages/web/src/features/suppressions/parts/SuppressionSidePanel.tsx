/** Details of a suppression, and the action that ends it. */
import Button from '@mui/material/Button';
import type { SuppressionRow } from '@parapet/contract/suppressions.ts';
import { useState } from 'react';
import { ConfirmDialog } from '../../../kit/ConfirmDialog.tsx';
import { DefinitionList } from '../../../kit/DefinitionList.tsx';
import { MonoText } from '../../../kit/Mono.tsx';
import { exact } from '../../../kit/numbers.ts';
import { AbsoluteTime } from '../../../kit/RelativeTime.tsx';
import { SidePanel } from '../../../kit/SidePanel.tsx';
import { EmptyState } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import type { PreviewPanel } from '../../../lib/ListTable.tsx';
import { paths } from '../../../lib/paths.ts';
import { useEndSuppression } from '../suppressions.queries.ts';
import { aboutOf } from '../suppressions.ts';
import { State } from './suppressionColumns.tsx';

export function SuppressionSidePanel({
  id,
  row,
  isLoading,
  timeZone,
  onClose,
}: PreviewPanel<SuppressionRow> & { timeZone: string }) {
  const [isConfirming, setConfirming] = useState(false);
  const end = useEndSuppression();
  return (
    <SidePanel
      isOpen={id !== undefined && (row !== undefined || !isLoading)}
      title={`Suppression ${id ?? ''}`.trim()}
      onClose={onClose}
      actions={
        row?.isActive && (
          <Button size="small" onClick={() => setConfirming(true)}>
            End suppression
          </Button>
        )
      }
    >
      {row ? (
        <DefinitionList
          minWidth={160}
          facts={[
            { name: 'State', value: <State isActive={row.isActive} />, isWide: true },
            { name: 'Rule', value: row.rule ? <VisibleText text={row.rule} /> : (row.ruleID ?? 'All rules'), isWide: true },
            { name: 'Rule ID', value: row.rule && row.ruleID && <MonoText>{row.ruleID}</MonoText>, isWide: true },
            { name: 'Device', value: row.deviceName ? <VisibleText text={row.deviceName} /> : 'All devices' },
            { name: 'User', value: row.userName ? <VisibleText text={row.userName} /> : 'All users' },
            { name: 'Client', value: <VisibleText text={row.clientOrganizationName} />, isWide: true },
            { name: 'Reason', value: <VisibleText text={row.reason} keepLines />, isWide: true },
            { name: 'Owner', value: <VisibleText text={row.owner} /> },
            {
              name: 'Hidden alerts',
              value: (
                <AppLink
                  href={paths.alerts(row.clientOrganizationID, {
                    timeframe: 'lastOneYear',
                    rule: row.ruleID ?? undefined,
                    device: row.deviceName ?? undefined,
                    user: row.userName ?? undefined,
                  })}
                  title="All matching alerts, hidden or not"
                >
                  {exact(row.hidden)}
                </AppLink>
              ),
            },
            { name: 'Created', value: <AbsoluteTime at={row.createdTime} timeZone={timeZone} /> },
            { name: row.isActive ? 'Ends' : 'Ended', value: <AbsoluteTime at={row.endTime} timeZone={timeZone} /> },
          ]}
        />
      ) : (
        <EmptyState title="Suppression not on this page" text="It belongs to another client or is on another page." />
      )}
      {row && (
        <ConfirmDialog
          isOpen={isConfirming}
          title="End this suppression now?"
          isBusy={end.isPending}
          onNo={() => setConfirming(false)}
          onYes={() => end.mutate(row, { onSettled: () => setConfirming(false) })}
        >
          New alerts of <VisibleText text={aboutOf(row)} /> join cases again. Alerts hidden so far stay hidden.
        </ConfirmDialog>
      )}
    </SidePanel>
  );
}
