/** Side panel of a finding: priority and its reasons, fix, acceptance. */
import Button from '@mui/material/Button';
import type { Finding } from '@parapet/contract/vulnerabilities.ts';
import { useState } from 'react';
import { ConfirmDialog } from '../../../kit/ConfirmDialog.tsx';
import { DefinitionList } from '../../../kit/DefinitionList.tsx';
import { Mono } from '../../../kit/Mono.tsx';
import { AbsoluteTime } from '../../../kit/RelativeTime.tsx';
import { SeverityChip } from '../../../kit/Severity.tsx';
import { SidePanel } from '../../../kit/SidePanel.tsx';
import { EmptyState } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { visibleText } from '../../../kit/visible.ts';
import { AppLink } from '../../../lib/AppLink.tsx';
import type { PreviewPanel } from '../../../lib/ListTable.tsx';
import { paths } from '../../../lib/paths.ts';
import { useScope } from '../../../lib/scope.ts';
import { chanceText, daysText, pageAbout, readText, sourceLabel, stateLabel } from '../findings.ts';
import { useAccept } from '../vulnerabilities.queries.ts';
import { AcceptDialog } from './AcceptDialog.tsx';

export function FindingSidePanel({ id, row, isLoading, timeZone, onClose }: PreviewPanel<Finding> & { timeZone: string }) {
  const { may } = useScope();
  const [open, setOpen] = useState<'accept' | 'end'>();
  const accept = useAccept();
  const close = () => setOpen(undefined);
  const canDecide = row !== undefined && may('risk:write');
  return (
    <SidePanel
      isOpen={id !== undefined && (row !== undefined || !isLoading)}
      title={row ? visibleText(row.cve) : 'Finding'}
      onClose={onClose}
      actions={
        canDecide &&
        row.state !== 'fixed' && (
          <Button size="small" onClick={() => setOpen(row.state === 'accepted' ? 'end' : 'accept')}>
            {row.state === 'accepted' ? 'End acceptance' : 'Accept'}
          </Button>
        )
      }
    >
      {row ? (
        <Facts row={row} timeZone={timeZone} />
      ) : (
        <EmptyState
          title="Finding not on this page"
          text="It belongs to another client, is on another page, or is no longer open."
        />
      )}
      {row && open === 'accept' && <AcceptDialog finding={row} timeZone={timeZone} onClose={close} />}
      {row && (
        <ConfirmDialog
          isOpen={open === 'end'}
          title="End this acceptance now?"
          isBusy={accept.isPending}
          onNo={close}
          onYes={() => accept.mutate({ finding: row, isAccepted: false }, { onSettled: close })}
        >
          <VisibleText text={row.cve} /> on <VisibleText text={row.deviceName} /> counts as open again.
        </ConfirmDialog>
      )}
    </SidePanel>
  );
}

function Facts({ row, timeZone }: { row: Finding; timeZone: string }) {
  const links = [...new Set([row.cve, ...row.aliases])].flatMap((id) => {
    const page = pageAbout(id);
    return page ? [{ id, ...page }] : [];
  });
  const epssText = ({ epssDay, epssReadAt, isInvented }: Finding) => readText(epssDay, epssReadAt, isInvented, timeZone);
  const exploitedText = ({ exploitedDay, exploitedReadAt, isInvented }: Finding) =>
    readText(exploitedDay, exploitedReadAt, isInvented, timeZone);
  return (
    <>
      <h2 style={{ margin: '0 0 12px', fontSize: 16, lineHeight: '22px', fontWeight: 600, overflowWrap: 'anywhere' }}>
        <VisibleText text={row.title || row.cve} />
      </h2>
      <DefinitionList
        minWidth={160}
        facts={[
          { name: 'Severity', value: <SeverityChip severity={row.severity} /> },
          { name: 'Priority', value: `${row.priority} of 100` },
          {
            name: 'Priority factors',
            value:
              row.reasons.length === 0 ? null : (
                <ul style={{ margin: 0, paddingLeft: 18 }}>
                  {row.reasons.map((reason) => (
                    <li key={reason}>
                      <VisibleText text={reason} />
                    </li>
                  ))}
                </ul>
              ),
            isWide: true,
          },
          { name: 'Package', value: <VisibleText text={`${row.package} (${row.ecosystem})`} />, isWide: true },
          { name: 'Installed', value: <Mono text={row.installedVersion} /> },
          {
            name: 'Fixed in',
            value: row.fixedVersion === null ? 'No fix yet' : <Mono text={row.fixedVersion} copyLabel="Copy fixed version" />,
          },
          { name: 'CVSS', value: row.cvss?.toFixed(1) ?? 'Unknown' },
          { name: 'EPSS, 30 days', value: row.epss === null ? 'Unknown' : `${chanceText(row.epss)} ${epssText(row)}` },
          { name: 'Known exploited', value: row.isKnownExploited ? `Yes, ${exploitedText(row)}` : 'No' },
          { name: 'State', value: stateLabel[row.state] },
          {
            name: 'Device',
            value: (
              <AppLink href={paths.device(row.clientOrganizationID, row.deviceName, { tab: 'vulnerabilities' })}>
                <VisibleText text={row.deviceName} />
              </AppLink>
            ),
            isWide: true,
          },
          {
            name: 'Alerts on the device',
            value: (
              <AppLink href={paths.alerts(row.clientOrganizationID, { timeframe: 'last30Days', device: row.deviceName })}>
                Last 30 days
              </AppLink>
            ),
            isWide: true,
          },
          { name: 'Client', value: <VisibleText text={row.clientOrganizationName} />, isWide: true },
          { name: 'Source', value: <VisibleText text={sourceLabel(row.source)} />, isWide: true },
          { name: 'First seen', value: <AbsoluteTime at={row.firstSeenAt} timeZone={timeZone} /> },
          { name: 'Fixed', value: row.fixedAt && <AbsoluteTime at={row.fixedAt} timeZone={timeZone} /> },
          { name: 'Time to fix', value: row.daysToFix === null ? null : daysText(row.daysToFix) },
          { name: 'Accepted by', value: row.acceptedBy && <VisibleText text={row.acceptedBy} /> },
          { name: 'Accepted until', value: row.acceptedUntil && <AbsoluteTime at={row.acceptedUntil} timeZone={timeZone} /> },
          { name: 'Reason', value: row.acceptReason && <VisibleText text={row.acceptReason} keepLines />, isWide: true },
          {
            name: 'References',
            value:
              links.length === 0
                ? null
                : links.map(({ id, name, url }) => (
                    <span key={id} style={{ display: 'block' }}>
                      <a href={url} target="_blank" rel="noreferrer noopener">
                        {id} at {name}
                      </a>
                    </span>
                  )),
            isWide: true,
          },
          {
            name: 'Also known as',
            value: row.aliases.length > 0 ? <VisibleText text={row.aliases.join(', ')} /> : null,
            isWide: true,
          },
        ]}
      />
    </>
  );
}
