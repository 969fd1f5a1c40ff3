import type { GroupingPreview } from '@parapet/contract/caseGrouping.ts';
import { Note } from '../../../kit/Note.tsx';
import { counted, exact } from '../../../kit/numbers.ts';
import { Nothing, Row, Rows } from '../../../kit/rows.styles.ts';
import { absoluteTime } from '../../../kit/time.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { visibleText } from '../../../kit/visible.ts';
import { AppLink } from '../../../lib/AppLink.tsx';
import { timeDifference } from '../../../lib/analystTime.ts';
import { DaysTable, MaliciousCases, PreviewSteps } from '../../../lib/PreviewParts.tsx';
import { paths } from '../../../lib/paths.ts';
import { useScope } from '../../../lib/scope.ts';
import { useCancelGroupingPreview, useGroupingPreview } from '../grouping.queries.ts';

const kindLabel = { lost: 'Would not open', gained: 'Would open', joined: 'Joined', split: 'Split' } as const;

export function GroupingPreviewResult({ id, isStale }: { id: number; isStale: (change: GroupingPreview['change']) => boolean }) {
  const cancel = useCancelGroupingPreview();
  return (
    <PreviewSteps
      query={useGroupingPreview(id)}
      working={({ total }) => `Grouping ${counted(total, 'alert')}`}
      onCancel={() => cancel.mutate({ params: { id } })}
    >
      {(preview, range) => <Done preview={preview} range={range} isStale={isStale(preview.change)} />}
    </PreviewSteps>
  );
}

function Done({ preview, range, isStale }: { preview: GroupingPreview; range: string; isStale: boolean }) {
  const { timeZone } = useScope();
  const sum = (name: 'before' | 'after' | 'gained' | 'lost' | 'joined' | 'split' | 'changed' | 'alerts') =>
    preview.clients.reduce((total, client) => total + client[name], 0);
  const partial = preview.clients.filter(({ isPartial }) => isPartial);
  const differing = preview.clients.filter(
    ({ gained, lost, joined, split, changed }) => gained + lost + joined + split + changed > 0,
  );
  return (
    <div role="status" style={{ display: 'grid', gap: 12 }}>
      {isStale && <Note tone="warning">The changes above differ from this preview. Preview them again.</Note>}
      <strong>
        {counted(sum('lost'), 'case')} fewer, {exact(sum('gained'))} more, {exact(sum('joined'))} joined, {exact(sum('split'))}{' '}
        split
      </strong>
      <span>
        {counted(sum('before'), 'case')} before, {exact(sum('after'))} after.{' '}
        {timeDifference(preview.minutes, `${preview.minutesPerCase} min per case`)} {counted(sum('alerts'), 'alert')} of{' '}
        {counted(preview.clients.length, 'client')} grouped, {range}.
      </span>
      {preview.clientsLeftOut > 0 && (
        <Note tone="warning">
          {counted(preview.clientsLeftOut, 'client')} not previewed: a preview covers at most {exact(preview.clients.length)}. If
          they have alerts, a second person must make it live.
        </Note>
      )}
      {partial.length > 0 && (
        <Note>
          Only the newest {exact(50_000)} alerts were grouped for{' '}
          {partial
            .slice(0, 5)
            .map(({ clientOrganizationName }) => visibleText(clientOrganizationName))
            .join(', ')}
          {partial.length > 5 && ` and ${exact(partial.length - 5)} more`}.
        </Note>
      )}
      <MaliciousCases
        caseIDs={preview.maliciousCases.map(({ caseID }) => caseID)}
        effect="Alerts of these malicious cases would be in no case"
        more="A second person must make it live: send them the address of this page."
      />
      {differing.length > 0 && (
        <Rows aria-label="Cases by client">
          {differing.slice(0, 50).map((client) => (
            <Row key={client.clientOrganizationID}>
              <div className="fields">
                <strong>
                  <VisibleText text={client.clientOrganizationName} />
                </strong>
                <Nothing>
                  {exact(client.before)} → {counted(client.after, 'case')}: {differenceOf(client)}
                </Nothing>
              </div>
            </Row>
          ))}
        </Rows>
      )}
      <DaysTable days={preview.days} counted="Cases" />
      {preview.examples.length > 0 && (
        <Rows aria-label="Examples">
          {preview.examples.slice(0, 12).map((example) => {
            const place = example.deviceName ?? example.userName;
            return (
              <Row key={`${example.kind} ${example.clientOrganizationID} ${example.at} ${example.rule}`}>
                <div className="fields">
                  <div>
                    <strong>{kindLabel[example.kind]}</strong> <VisibleText text={example.rule} />
                    {place && (
                      <>
                        , <VisibleText text={place} />
                      </>
                    )}
                    , {counted(example.count, 'alert')}
                  </div>
                  <Nothing>
                    <VisibleText text={example.clientOrganizationName} />, {absoluteTime(Date.parse(example.at), timeZone)}
                    {example.caseID !== null && (
                      <>
                        , <AppLink href={paths.case(example.caseID)}>case {example.caseID}</AppLink>
                      </>
                    )}
                  </Nothing>
                </div>
              </Row>
            );
          })}
        </Rows>
      )}
    </div>
  );
}

const differenceOf = ({ lost, gained, joined, split, changed }: GroupingPreview['clients'][number]): string =>
  [
    [lost, 'fewer'],
    [gained, 'more'],
    [joined, 'joined'],
    [split, 'split'],
    [changed, 'with other alerts'],
  ]
    .filter(([count]) => count !== 0)
    .map(([count, text]) => `${exact(count as number)} ${text}`)
    .join(', ');
