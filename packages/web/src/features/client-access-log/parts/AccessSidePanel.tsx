/** Preview of an entry of the access log. The details of its reason are untrusted. */
import type { AccessRow } from '@parapet/contract/client-access-log.ts';
import { accessKindTexts, sensitiveViewTexts } from '@parapet/contract/rules/client-access-log.ts';
import { DefinitionList } from '../../../kit/DefinitionList.tsx';
import { exact } from '../../../kit/numbers.ts';
import { AbsoluteTime } from '../../../kit/RelativeTime.tsx';
import { SidePanel } from '../../../kit/SidePanel.tsx';
import { EmptyState } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import type { PreviewPanel } from '../../../lib/ListTable.tsx';
import { Reason, scopeText, waysOf } from './accessColumns.tsx';

export function AccessSidePanel({ id, row, isLoading, timeZone, onClose }: PreviewPanel<AccessRow> & { timeZone: string }) {
  return (
    <SidePanel
      isOpen={id !== undefined && (row !== undefined || !isLoading)}
      title={row?.personName ?? 'Entry'}
      onClose={onClose}
    >
      {row ? (
        <DefinitionList
          minWidth={160}
          facts={[
            { name: 'Person', value: <VisibleText text={row.personName} /> },
            { name: 'Organisation', value: row.personOrganizationName && <VisibleText text={row.personOrganizationName} /> },
            { name: 'From', value: <AbsoluteTime at={row.firstAt} timeZone={timeZone} /> },
            { name: 'To', value: <AbsoluteTime at={row.lastAt} timeZone={timeZone} /> },
            { name: 'Reason', value: <Reason row={row} />, isWide: true },
            { name: 'Sensitive view', value: row.view && sensitiveViewTexts[row.view] },
            { name: 'Data', value: row.kinds.map((kind) => accessKindTexts[kind]).join(', '), isWide: true },
            { name: 'Access', value: scopeText(row) },
            { name: 'By', value: waysOf(row) },
            { name: 'Requests', value: exact(row.requests) },
            { name: 'Client', value: <VisibleText text={row.clientOrganizationName} /> },
          ]}
        />
      ) : (
        <EmptyState title="Entry not on this page" text="It is older, newer, or filtered out." />
      )}
    </SidePanel>
  );
}
