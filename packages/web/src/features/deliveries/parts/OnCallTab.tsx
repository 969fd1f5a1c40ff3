/** Rota of the people on call: the next seven days, weekly shifts, swaps and hand-over notes. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import type { OnCallTurn } from '@parapet/contract/onCall.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { Row, RowHead, Rows, RowsBar } from '../../../kit/rows.styles.ts';
import { Section } from '../../../kit/Section.tsx';
import { TextSkeleton } from '../../../kit/Skeletons.tsx';
import { EmptyState, FailedState } from '../../../kit/States.tsx';
import { shortTime } from '../../../kit/time.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { useScope } from '../../../lib/scope.ts';
import { onCallQuery, useRemoveOverride } from '../deliveries.queries.ts';
import { placeLabels, type Rota } from '../onCallText.ts';
import { NoteDialog } from './OnCallNote.tsx';
import { ShiftsDialog } from './OnCallShifts.tsx';
import { SwapDialog } from './OnCallSwap.tsx';

/** Turns one beside the other, as in a calendar. */
const Week = styled(Rows)({ gridTemplateColumns: 'repeat(auto-fill, minmax(200px, 1fr))', gap: 8 });

export function OnCallTab() {
  const { client, timeZone } = useScope();
  const { data: rota, error, refetch } = useQuery(onCallQuery(client));
  const [dialog, setDialog] = useState<'shifts' | 'swap' | 'note'>();
  const close = () => setDialog(undefined);
  if (!rota)
    return error ? (
      <FailedState what="the rota" error={error} onRetry={() => void refetch()} />
    ) : (
      <TextSkeleton lines={4} lineHeight={64} />
    );
  return (
    <div style={{ display: 'grid', gap: 16 }}>
      <RowsBar>
        <Button variant="contained" size="small" onClick={() => setDialog('shifts')}>
          Edit shifts
        </Button>
        <Button size="small" disabled={rota.shifts.length === 0} onClick={() => setDialog('swap')}>
          Add swap
        </Button>
        <Button size="small" onClick={() => setDialog('note')}>
          Write hand-over note
        </Button>
      </RowsBar>
      {rota.turns.length === 0 ? (
        <EmptyState
          title="No shifts yet"
          text="Add shifts, then a target “On call” as a level of escalation of a routing rule: it calls the person on call at that time."
        />
      ) : (
        <>
          <span>Times in {timeZone}</span>
          <Turns turns={rota.turns} />
        </>
      )}
      <Swaps rota={rota} />
      <Notes notes={rota.notes} />
      {dialog === 'shifts' && <ShiftsDialog rota={rota} onClose={close} />}
      {dialog === 'swap' && <SwapDialog rota={rota} onClose={close} />}
      {dialog === 'note' && <NoteDialog client={rota.clientOrganizationID} onClose={close} />}
    </div>
  );
}

interface Moment {
  day: string;
  minute: string;
}

function Period({ starts, ends }: { starts: string; ends: string }) {
  const { timeZone } = useScope();
  const [begin, end] = [starts, ends].map((time) => {
    const ms = Date.parse(time);
    return { day: shortTime(ms, 'day', timeZone), minute: shortTime(ms, 'minute', timeZone) };
  }) as [Moment, Moment];
  return (
    <>
      {begin.day}, {begin.minute} to {begin.day === end.day ? end.minute : `${end.day}, ${end.minute}`}
    </>
  );
}

function Turns({ turns }: { turns: readonly OnCallTurn[] }) {
  return [...Map.groupBy(turns, ({ place }) => place)].map(([place, own]) => (
    <Section key={place} title={`Next seven days: ${placeLabels[place]}`} isPlain>
      <Week aria-label={`Next seven days: ${placeLabels[place]}`}>
        {own.map(({ starts, ends, userName, isOverride }) => (
          <Row key={starts} aria-label={userName ?? 'Gap'}>
            <RowHead>
              <strong>{userName === null ? 'No person on call' : <VisibleText text={userName} />}</strong>
              <span className="about">
                <Period starts={starts} ends={ends} />
                {isOverride && ' · Swap'}
              </span>
            </RowHead>
          </Row>
        ))}
      </Week>
    </Section>
  ));
}

function Swaps({ rota }: { rota: Rota }) {
  const remove = useRemoveOverride();
  if (rota.overrides.length === 0) return null;
  return (
    <Section title="Swaps" isPlain>
      <Rows aria-label="Swaps">
        {rota.overrides.map(({ id, userName, place, starts, ends }) => (
          <Row key={id} aria-label={`Swap ${userName}`}>
            <div className="fields">
              <RowHead>
                <strong>
                  <VisibleText text={userName} />
                </strong>
                <span className="about">
                  {placeLabels[place]} · <Period starts={starts} ends={ends} />
                </span>
              </RowHead>
            </div>
            <span className="buttons">
              <Button
                size="small"
                color="error"
                aria-label={`Remove swap ${userName}`}
                loading={remove.isPending}
                onClick={() => remove.mutate({ params: { client: rota.clientOrganizationID, override: id } })}
              >
                Remove
              </Button>
            </span>
          </Row>
        ))}
      </Rows>
    </Section>
  );
}

function Notes({ notes }: Pick<Rota, 'notes'>) {
  const { timeZone } = useScope();
  if (notes.length === 0) return null;
  return (
    <Section title="Hand-over notes" isPlain>
      <Rows aria-label="Hand-over notes">
        {notes.map(({ author, text, writtenAt }) => (
          <Row key={writtenAt} aria-label={`Note of ${author}`}>
            <div className="fields">
              <VisibleText text={text} keepLines />
              <div>
                <VisibleText text={author} />, <RelativeTime at={writtenAt} timeZone={timeZone} />
              </div>
            </div>
          </Row>
        ))}
      </Rows>
    </Section>
  );
}
