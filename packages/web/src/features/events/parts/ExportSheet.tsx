/** Content of the menu of exports. */
import Button from '@mui/material/Button';
import LinearProgress from '@mui/material/LinearProgress';
import { styled } from '@mui/material/styles';
import { type EventExport, exportFormats, maxExportedEvents } from '@parapet/contract/eventExports.ts';
import type { Range } from '@parapet/contract/rules/timeframe.ts';
import { useQuery } from '@tanstack/react-query';
import { bytesText } from '../../../kit/bytes.ts';
import { counted, exact } from '../../../kit/numbers.ts';
import { palette } from '../../../kit/palette.ts';
import { FailedLine } from '../../../kit/States.tsx';
import { absoluteTime } from '../../../kit/time.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { toast } from '../../../lib/toast.ts';
import type { EventSearch } from '../eventSearch.ts';
import { downloadExport, exportOf, exportsQuery, isWritten, useCancelExport, useStartExport } from '../exports.queries.ts';

const Sheet = styled('div')({
  width: 'min(380px, calc(100vw - 32px))',
  padding: '12px 14px',
  fontSize: 13,
  '& p': { margin: '0 0 8px' },
  '& .formats': { display: 'flex', gap: 8 },
  '& ul': { margin: '12px 0 0', padding: 0, listStyle: 'none', maxHeight: 320, overflowY: 'auto' },
  '& li': { display: 'grid', gap: 4, padding: '8px 0', borderTop: `1px solid ${palette.divider}` },
  '& .line': { display: 'flex', alignItems: 'center', gap: 8 },
  '& .line > :first-of-type': { flex: 1, minWidth: 0, overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' },
  '& .hint': { fontSize: 12, color: palette.text.secondary, fontVariantNumeric: 'tabular-nums' },
});

const names = { ndjson: 'NDJSON', csv: 'CSV', parquet: 'Parquet' } as const;

export interface ExportSheetProps {
  client: number;
  range: Range;
  search: EventSearch;
  timeZone: string;
}

export function ExportSheet({ client, range, search, timeZone }: ExportSheetProps) {
  const exports = useQuery(exportsQuery());
  const start = useStartExport();
  return (
    <Sheet>
      <p>
        All events that match, at most the newest {exact(maxExportedEvents)}. Exports are audited and deleted after a day.
        {search.query !== undefined && ' The rows of an answer can’t be exported: clear that filter first.'}
      </p>
      <div className="formats">
        {exportFormats.map((format) => (
          <Button
            key={format}
            size="small"
            variant="outlined"
            disabled={start.isPending || search.query !== undefined}
            onClick={() => start.mutate(exportOf(client, range, search, format))}
          >
            {names[format]}
          </Button>
        ))}
      </div>
      {exports.error ? (
        <FailedLine what="exports" error={exports.error} onRetry={() => void exports.refetch()} />
      ) : (
        <ul aria-label="Exports of the last day">
          {exports.data?.results.map((each) => (
            <ExportLine key={each.id} one={each} timeZone={timeZone} />
          ))}
        </ul>
      )}
    </Sheet>
  );
}

function ExportLine({ one, timeZone }: { one: EventExport; timeZone: string }) {
  const cancel = useCancelExport();
  return (
    <li>
      <span className="line">
        <span title={one.search}>
          {names[one.format]}: {one.search ? <VisibleText text={one.search} /> : 'all events'}
        </span>
        {one.state === 'done' && (
          <Button
            size="small"
            onClick={() =>
              void downloadExport(one).catch((error: Error) => toast.error(`Couldn’t download the export. ${error.message}`))
            }
          >
            Download
          </Button>
        )}
        <Button size="small" color="inherit" loading={cancel.isPending} onClick={() => cancel.mutate(one.id)}>
          {isWritten(one) ? 'Cancel' : 'Delete'}
        </Button>
      </span>
      <span className="hint" role="status">
        {stateOf(one, timeZone)}
      </span>
      {isWritten(one) && <LinearProgress aria-label={`Export ${one.id}`} />}
    </li>
  );
}

function stateOf({ state, events, searchedTo, bytes, isCut, failure, expiresAt }: EventExport, timeZone: string): string {
  const found = counted(events, 'event');
  if (state === 'failed') return failure;
  if (state === 'waiting') return 'Waiting to start';
  if (state === 'running') return searchedTo ? `${found}, read to ${absoluteTime(Date.parse(searchedTo), timeZone)}` : found;
  const until = `until ${absoluteTime(Date.parse(expiresAt), timeZone)}`;
  return `${isCut ? `The newest ${found}` : found}, ${bytesText(bytes)}, ${until}`;
}
