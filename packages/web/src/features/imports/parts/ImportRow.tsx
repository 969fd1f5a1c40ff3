/** One import: state, figures and refused lines. */
import { styled } from '@mui/material/styles';
import type { FileImport, ImportFormat } from '@parapet/contract/imports.ts';
import { bytesText } from '../../../kit/bytes.ts';
import { DefinitionList } from '../../../kit/DefinitionList.tsx';
import { CheckCircleOutlineRounded } from '../../../kit/icons/CheckCircleOutlineRounded.tsx';
import { ErrorOutlineRounded } from '../../../kit/icons/ErrorOutlineRounded.tsx';
import { HourglassEmptyRounded } from '../../../kit/icons/HourglassEmptyRounded.tsx';
import { ScheduleRounded } from '../../../kit/icons/ScheduleRounded.tsx';
import { Note } from '../../../kit/Note.tsx';
import { counted, exact } from '../../../kit/numbers.ts';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { Row, RowHead } from '../../../kit/rows.styles.ts';
import { StateLabel, type Tone } from '../../../kit/StateLabel.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { paths } from '../../../lib/paths.ts';
import { useScope } from '../../../lib/scope.ts';

const Refusals = styled('details')({
  fontSize: 13,
  '& summary': { cursor: 'pointer' },
  '& ol': { margin: '6px 0 0', padding: 0, listStyle: 'none', maxHeight: 240, overflowY: 'auto' },
  '& li': { overflowWrap: 'anywhere' },
});

export const formatLabel: Record<ImportFormat, string> = {
  evtx: 'Windows events (JSON)',
  ndjson: 'JSON records',
  csv: 'CSV',
};
const states: Record<FileImport['state'], [label: string, icon: typeof ScheduleRounded, tone: Tone]> = {
  waiting: ['Waiting for the file', HourglassEmptyRounded, 'plain'],
  running: ['Importing', ScheduleRounded, 'plain'],
  done: ['Imported', CheckCircleOutlineRounded, 'good'],
  failed: ['Interrupted', ErrorOutlineRounded, 'bad'],
};

export function ImportRow({ fileImport }: { fileImport: FileImport }) {
  const { timeZone } = useScope();
  const { fileName, format, source, state, refusals, refused, clientOrganizationID: client } = fileImport;
  const [label, icon, tone] = states[state];
  return (
    <Row aria-label={fileName}>
      <div className="fields" style={{ display: 'grid', gap: 10 }}>
        <RowHead>
          <strong>
            <VisibleText text={fileName} />
          </strong>
          <StateLabel icon={icon} tone={tone} label={label} />
          <span className="about">
            {formatLabel[format]} · {bytesText(fileImport.bytes)} · <VisibleText text={fileImport.createdBy} /> ·{' '}
            <RelativeTime at={fileImport.createdAt} timeZone={timeZone} />
          </span>
        </RowHead>
        <DefinitionList
          minWidth={130}
          facts={[
            { name: 'Records', value: exact(fileImport.records) },
            { name: 'Events stored', value: exact(fileImport.stored) },
            { name: 'Already present', value: exact(fileImport.duplicates) },
            { name: 'Refused', value: exact(refused) },
            {
              name: 'Data source',
              value: source && (
                <AppLink href={paths.device(client, source)}>
                  <VisibleText text={source} />
                </AppLink>
              ),
            },
          ]}
        />
        {fileImport.retimed > 0 && (
          <Note>
            {counted(fileImport.retimed, 'event')} with a time in the future or before the retention: stored under the time of the
            import.
          </Note>
        )}
        {state === 'failed' && (
          <Note tone="warning">
            <VisibleText
              text={
                fileImport.failure ||
                'The upload broke off. Import the file again: events that are stored already are recognised, those without a time of their own for an hour.'
              }
            />
          </Note>
        )}
        {refusals.length > 0 && (
          <Refusals>
            <summary>{counted(refused, 'refused record')}</summary>
            <ol aria-label="Refused records">
              {refusals.map(({ line, error }) => (
                <li key={`${line} ${error}`}>
                  Line {exact(line)}: <VisibleText text={error} />
                </li>
              ))}
            </ol>
            {refused > refusals.length && (
              <div>
                The first {refusals.length} of {exact(refused)}.
              </div>
            )}
          </Refusals>
        )}
      </div>
    </Row>
  );
}
