/** Rota of the people on call: the next seven days, weekly shifts, swaps and hand-over notes. */
import Button from '@mui/material/Button';
import type { OnCallTurn } from '@parapet/contract/onCall.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { Row, Rows } from '../../../kit/rows.styles.ts';
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
import { Bar, Head } from './styles.ts';

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
      <Bar>
        <Button variant="contained" size="small" onClick={() => setDialog('shifts')}>
          Edit shifts
        </Button>
        <Button size="small" disabled={rota.shifts.length === 0} onClick={() => setDialog('swap')}>
          Add swap
        </Button>
        <Button size="small" onClick={() => setDialog('note')}>
          Write hand-over note
        </Button>
      </Bar>
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

function Period({ starts, ends }: { starts: string; ends: string }) {
  const { timeZone } = useScope();
  const at = (time: string) => {
    const ms = Date.parse(time);
    return `${shortTime(ms, 'day', timeZone)}, ${shortTime(ms, 'minute', timeZone)}`;
  };
  return (
    <>
      {at(starts)} to {at(ends)}
    </>
  );
}

function Turns({ turns }: { turns: readonly OnCallTurn[] }) {
  return [...Map.groupBy(turns, ({ place }) => place)].map(([place, own]) => (
    <Section key={place} title={`Next seven days: ${placeLabels[place]}`} isPlain>
      <Rows aria-label={`Next seven days: ${placeLabels[place]}`}>
        {own.map(({ starts, ends, userName, isOverride }) => (
          <Row key={starts} aria-label={userName ?? 'Gap'}>
            <Head>
              <strong>{userName === null ? 'No person on call' : <VisibleText text={userName} />}</strong>
              <span className="about">
                <Period starts={starts} ends={ends} />
                {isOverride && ' · Swap'}
              </span>
            </Head>
          </Row>
        ))}
      </Rows>
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
              <Head>
                <strong>
                  <VisibleText text={userName} />
                </strong>
                <span className="about">
                  {placeLabels[place]} · <Period starts={starts} ends={ends} />
                </span>
              </Head>
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
