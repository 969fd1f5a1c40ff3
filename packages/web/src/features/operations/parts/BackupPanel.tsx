/** Backups: their range, and the last base backups and trial restores. */
import Button from '@mui/material/Button';
import type { BackupRun, BackupState } from '@parapet/contract/operations.ts';
import { bytesText } from '../../../kit/bytes.ts';
import { DefinitionList, type Fact } from '../../../kit/DefinitionList.tsx';
import { Listing } from '../../../kit/Listing.tsx';
import { Note } from '../../../kit/Note.tsx';
import { Panel } from '../../../kit/Panel.tsx';
import { AbsoluteTime, TimeOrNever } from '../../../kit/RelativeTime.tsx';
import { useBackUp } from '../operations.queries.ts';
import { Body } from './Body.tsx';

const missing = {
  none: 'No backup is configured. Set BACKUP_DIR or BACKUP_S3_…, and BACKUP_KEY or BACKUP_KEY_FILE, then restart (docs/operating.md).',
  external: 'PostgreSQL runs outside the portal. Back it up by its own tools (docs/operating.md).',
};

const kindLabel: Record<BackupRun['kind'], string> = { base: 'Base backup', verification: 'Trial restore' };

/** The newest of a kind that succeeded. */
const lastOf = (runs: readonly BackupRun[], kind: BackupRun['kind']) => runs.find((run) => run.kind === kind && run.error === '');

export function BackupPanel({ backup, timeZone }: { backup: BackupState; timeZone: string | undefined }) {
  const backUp = useBackUp();
  const time = (at: string | null | undefined) => <TimeOrNever at={at} timeZone={timeZone} />;
  const facts: Fact[] = [
    { name: 'Backed up to', value: time(backup.archivedUntil) },
    { name: 'Last base backup', value: time(lastOf(backup.runs, 'base')?.endedAt) },
    { name: 'Last trial restore', value: time(lastOf(backup.runs, 'verification')?.endedAt) },
    { name: 'Stored in', value: backup.target },
  ];
  if (backup.kind !== 'continuous')
    return (
      <Panel title="Backup">
        <Body>
          <Note tone={backup.kind === 'none' ? 'warning' : 'info'}>{missing[backup.kind]}</Note>
        </Body>
      </Panel>
    );
  return (
    <>
      <Panel
        title="Backup"
        end={
          <Button size="small" loading={backUp.isPending} disabled={backup.isRequested} onClick={() => backUp.mutate({})}>
            {backup.isRequested ? 'Base backup requested' : 'Back up now'}
          </Button>
        }
      >
        <Body>
          {backup.error && <Note tone="warning">{`The last attempt failed: ${backup.error}`}</Note>}
          <DefinitionList facts={facts} />
        </Body>
      </Panel>
      <Listing
        title="Backup runs"
        heads={['Run', 'Ended', { title: 'Size', isNumber: true }, 'Result']}
        rows={backup.runs.map((run) => ({
          key: `${run.kind} ${run.endedAt}`,
          text: `${kindLabel[run.kind]} ${run.error} ${run.note}`,
          cells: [
            kindLabel[run.kind],
            <AbsoluteTime key="at" at={run.endedAt} timeZone={timeZone} />,
            run.bytes > 0 ? bytesText(run.bytes) : '',
            run.error ? `Failed: ${run.error}` : run.note || 'Succeeded',
          ],
        }))}
        empty="No base backup yet."
      />
    </>
  );
}
