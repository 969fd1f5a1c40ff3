/** Preview of an audit entry with its changes. All texts are untrusted. */
import { styled } from '@mui/material/styles';
import type { AuditRow } from '@parapet/contract/audit.ts';
import { DefinitionList } from '../../../kit/DefinitionList.tsx';
import { JsonViewer } from '../../../kit/JsonViewer.tsx';
import { MonoText } from '../../../kit/Mono.tsx';
import { palette } from '../../../kit/palette.ts';
import { AbsoluteTime } from '../../../kit/RelativeTime.tsx';
import { SidePanel } from '../../../kit/SidePanel.tsx';
import { EmptyState } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import type { PreviewPanel } from '../../../lib/ListTable.tsx';
import { differencesOf, read } from '../diff.ts';
import { actorOf } from './auditColumns.tsx';

const Body = styled('div')({ display: 'grid', gap: 20, '& > *': { minWidth: 0 } });
const Title = styled('h2')({ margin: '0 0 8px', fontSize: 13, fontWeight: 600 });
const Changes = styled('dl')({
  margin: 0,
  fontSize: 13,
  '& > div': { padding: '8px 0', borderTop: `1px solid ${palette.divider}` },
  '& dt': { fontFamily: 'var(--font-mono)', fontSize: 12, color: palette.text.secondary, overflowWrap: 'anywhere' },
  '& dd': { margin: '2px 0 0', overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' },
  '& .word': { display: 'inline-block', width: 44, fontSize: 12, color: palette.text.secondary },
  '& del': { textDecorationColor: palette.text.secondary },
  '& ins': { textDecoration: 'none', fontWeight: 600 },
});

export function AuditSidePanel({ id, row, isLoading, timeZone, onClose }: PreviewPanel<AuditRow> & { timeZone: string }) {
  return (
    <SidePanel
      isOpen={id !== undefined && (row !== undefined || !isLoading)}
      title={row ? row.action : 'Entry'}
      onClose={onClose}
    >
      {row ? (
        <Entry row={row} timeZone={timeZone} />
      ) : (
        <EmptyState title="Entry not on this page" text="It is older, newer, or filtered out." />
      )}
    </SidePanel>
  );
}

function Entry({ row, timeZone }: { row: AuditRow; timeZone: string }) {
  const [before, after] = [read(row.before), read(row.after)];
  const changes = differencesOf(before, after);
  return (
    <Body>
      <DefinitionList
        minWidth={160}
        facts={[
          { name: 'Time', value: <AbsoluteTime at={row.at} timeZone={timeZone} /> },
          { name: 'Action', value: <MonoText>{row.action}</MonoText> },
          { name: 'Actor', value: <VisibleText text={actorOf(row)} /> },
          { name: 'Email', value: row.actorEmail && <VisibleText text={row.actorEmail} /> },
          { name: 'Organisation', value: row.actorOrganizationName && <VisibleText text={row.actorOrganizationName} /> },
          { name: 'Source address', value: row.address && <MonoText>{row.address}</MonoText> },
          { name: 'Client', value: <VisibleText text={row.clientOrganizationName} /> },
          { name: 'Target', value: row.target && <VisibleText text={row.target} />, isWide: true },
        ]}
      />
      <section>
        <Title>Changes</Title>
        {changes.length === 0 ? (
          <span>No recorded changes.</span>
        ) : (
          <Changes>
            {changes.map((change) => (
              <div key={change.field}>
                <dt>
                  <VisibleText text={change.field || 'Value'} />
                </dt>
                {change.kind !== 'added' && (
                  <dd>
                    <span className="word">Before</span>
                    <del>
                      <VisibleText text={change.before} keepLines />
                    </del>
                  </dd>
                )}
                {change.kind !== 'removed' && (
                  <dd>
                    <span className="word">After</span>
                    <ins>
                      <VisibleText text={change.after} keepLines />
                    </ins>
                  </dd>
                )}
              </div>
            ))}
          </Changes>
        )}
      </section>
      {(before !== undefined || after !== undefined) && (
        <section>
          <Title>Raw entry</Title>
          <JsonViewer
            key={row.id}
            document={{ before: before ?? null, after: after ?? null }}
            label={`Entry ${row.id}`}
            maxHeight={320}
          />
        </section>
      )}
    </Body>
  );
}
