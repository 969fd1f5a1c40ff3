/** Details of an exception or a suppression, and the action that ends it. */
import Button from '@mui/material/Button';
import type { HidingRow } from '@parapet/contract/exceptions.ts';
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
import { useEndException, useEndSuppression } from '../rules.queries.ts';
import { hidingAbout, kindText, stateText } from './hidingColumns.tsx';

export function HidingSidePanel({ id, row, isLoading, timeZone, onClose }: PreviewPanel<HidingRow> & { timeZone: string }) {
  const [isConfirming, setConfirming] = useState(false);
  const endException = useEndException();
  const endSuppression = useEndSuppression();
  const end = row?.kind === 'exception' ? endException : endSuppression;
  const title = row ? kindText(row) : 'Exception';
  const name = title.toLowerCase();
  return (
    <SidePanel
      isOpen={id !== undefined && (row !== undefined || !isLoading)}
      title={`${title} ${id ?? ''}`.trim()}
      onClose={onClose}
      actions={
        row?.isActive && (
          <Button size="small" onClick={() => setConfirming(true)}>
            End {name}
          </Button>
        )
      }
    >
      {row ? (
        <Details row={row} timeZone={timeZone} />
      ) : (
        <EmptyState title="Not on this page" text="It belongs to another client or is on another page." />
      )}
      {row && (
        <ConfirmDialog
          isOpen={isConfirming}
          title={`End this ${name} now?`}
          isBusy={end.isPending}
          onNo={() => setConfirming(false)}
          onYes={() => end.mutate({ params: { id: row.id } }, { onSettled: () => setConfirming(false) })}
        >
          {row.kind === 'exception' ? (
            <>
              <VisibleText text={hidingAbout(row)} /> raises alerts again for the events that the filter excludes.
            </>
          ) : (
            <>
              New alerts of <VisibleText text={hidingAbout(row)} /> join cases again. Alerts hidden so far stay hidden.
            </>
          )}
        </ConfirmDialog>
      )}
    </SidePanel>
  );
}

function Details({ row, timeZone }: { row: HidingRow; timeZone: string }) {
  const { kind, ruleID, organisationID: client } = row;
  const isException = kind === 'exception';
  const rule = row.rule ? <VisibleText text={row.rule} /> : (ruleID ?? 'All rules');
  const matching = isException
    ? [{ name: 'Sigma filter', value: <MonoText>{row.filter ?? ''}</MonoText>, isWide: true }]
    : [
        { name: 'Device', value: row.deviceName ? <VisibleText text={row.deviceName} /> : 'All devices' },
        { name: 'User', value: row.userName ? <VisibleText text={row.userName} /> : 'All users' },
      ];
  const alerts = paths.alerts(client, {
    timeframe: 'lastOneYear',
    rule: ruleID ?? undefined,
    device: row.deviceName ?? undefined,
    user: row.userName ?? undefined,
  });
  return (
    <DefinitionList
      minWidth={160}
      facts={[
        { name: 'State', value: stateText(row), isWide: true },
        {
          name: 'Effect',
          value: isException ? 'Raises no alerts for events that its filter excludes' : 'Keeps alerts out of cases',
          isWide: true,
        },
        {
          name: 'Rule',
          value: ruleID === null ? rule : <AppLink href={paths.rule(ruleID, { client, tab: 'clients' })}>{rule}</AppLink>,
          isWide: true,
        },
        ...matching,
        { name: 'Client', value: <VisibleText text={row.organisation} />, isWide: true },
        { name: 'Reason', value: <VisibleText text={row.reason} keepLines />, isWide: true },
        { name: 'Owner', value: <VisibleText text={row.owner} /> },
        {
          name: 'Hidden, 30 days',
          value: isException ? (
            exact(row.hidden)
          ) : (
            <AppLink href={alerts} title="All matching alerts, hidden or not">
              {exact(row.hidden)}
            </AppLink>
          ),
        },
        { name: 'Created', value: <AbsoluteTime at={row.createdTime} timeZone={timeZone} /> },
        { name: row.isActive ? 'Ends' : 'Ended', value: <AbsoluteTime at={row.endTime} timeZone={timeZone} /> },
      ]}
    />
  );
}
