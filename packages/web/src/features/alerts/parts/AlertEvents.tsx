/** Source events of an alert: key facts, then the whole document. Copies are retained as long as the alert. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import type { AlertDetail, AlertEvent } from '@parapet/contract/alerts.ts';
import { useId, useMemo, useState } from 'react';
import { DefinitionList } from '../../../kit/DefinitionList.tsx';
import { ChevronRightRounded } from '../../../kit/icons/ChevronRightRounded.tsx';
import { JsonViewer } from '../../../kit/JsonViewer.tsx';
import { Mono } from '../../../kit/Mono.tsx';
import { counted, exact } from '../../../kit/numbers.ts';
import { palette } from '../../../kit/palette.ts';
import { AbsoluteTime } from '../../../kit/RelativeTime.tsx';
import { Section } from '../../../kit/Section.tsx';
import { EmptyState } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { Decoded } from '../../../lib/Decoded.tsx';
import { fieldOf, keyFacts } from '../keyFacts.ts';

const shownAtFirst = 10;
/** Lengths in characters: values from `wideFrom` span the full width; values from `minCopyLength` get a copy button. */
const wideFrom = 34;
const minCopyLength = 6;

const Events = styled('div')({
  border: `1px solid ${palette.divider}`,
  borderRadius: 8,
  overflow: 'hidden',
  backgroundColor: palette.background.paper,
  '& > div + div': { borderTop: `1px solid ${palette.divider}` },
});
const Head = styled('button')({
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  gap: '0 10px',
  width: '100%',
  minHeight: 38,
  padding: '6px 12px',
  border: 0,
  background: 'none',
  font: 'inherit',
  fontSize: 13,
  textAlign: 'left',
  color: palette.text.primary,
  cursor: 'pointer',
  '&:hover': { backgroundColor: palette.action.hover },
  '&:focus-visible': { outline: `2px solid ${palette.primary.main}`, outlineOffset: -2 },
  '& svg': { fontSize: 18, color: palette.text.secondary },
  '& time': { color: palette.text.secondary, fontSize: 12, whiteSpace: 'nowrap' },
  '& .text': { flex: '1 1 240px', minWidth: 0, overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' },
});
const Content = styled('div')({ padding: '4px 16px 16px', display: 'flex', flexDirection: 'column', gap: 16 });

export function AlertEvents({ alert, timeZone }: { alert: AlertDetail; timeZone: string }) {
  const [limit, setLimit] = useState(shownAtFirst);
  const { events, eventsTotal } = alert;
  const [open, setOpen] = useState<ReadonlySet<string>>(() => new Set(events.slice(0, 1).map((event) => event.id)));
  const toggle = (id: string) => {
    const next = new Set(open);
    if (!next.delete(id)) next.add(id);
    setOpen(next);
  };
  const note =
    eventsTotal > events.length
      ? `First ${exact(events.length)} of ${exact(eventsTotal)} events stored with the alert`
      : `${counted(eventsTotal, 'event')} stored with the alert`;

  return (
    <div id="events" tabIndex={-1} style={{ outline: 'none' }}>
      <Section title="Events" note={note} isPlain>
        <Events>
          {events.length === 0 && (
            <EmptyState
              title="No events stored with this alert"
              text="Rules that correlate many events can raise an alert without copies of them."
            />
          )}
          {events.slice(0, limit).map((event) => (
            <OneEvent
              key={event.id}
              event={event}
              timeZone={timeZone}
              isOpen={open.has(event.id)}
              onToggle={() => toggle(event.id)}
            />
          ))}
        </Events>
        {events.length > limit && (
          <Button size="small" onClick={() => setLimit(events.length)} sx={{ mt: 1 }}>
            Show {exact(events.length - limit)} more
          </Button>
        )}
      </Section>
    </div>
  );
}

function OneEvent({
  event,
  timeZone,
  isOpen,
  onToggle,
}: {
  event: AlertEvent;
  timeZone: string;
  isOpen: boolean;
  onToggle: () => void;
}) {
  const id = useId();
  return (
    <div>
      <Head type="button" aria-expanded={isOpen} aria-controls={id} onClick={onToggle}>
        <ChevronRightRounded aria-hidden sx={{ transform: isOpen ? 'rotate(90deg)' : 'none' }} />
        <span className="text">
          <VisibleText text={event.text} />
        </span>
        <AbsoluteTime at={event.at} timeZone={timeZone} />
      </Head>
      <div id={id}>{isOpen && <Opened event={event} />}</div>
    </div>
  );
}

function Opened({ event }: { event: AlertEvent }) {
  const facts = useMemo(() => keyFacts(event.document), [event.document]);
  return (
    <Content>
      <DefinitionList
        minWidth={250}
        facts={facts.map((fact) => ({
          name: fact.name,
          isWide: fact.value.length >= wideFrom,
          value: (
            <>
              <Mono
                text={fact.value}
                keepLines
                {...(fact.value.length < minCopyLength ? {} : { copyLabel: `Copy ${fact.name.toLowerCase()}` })}
              />
              {fact.value.length >= wideFrom && <Decoded text={fieldOf(event.document, fact.field)} />}
            </>
          ),
        }))}
      />
      <JsonViewer document={event.document} label={`event ${event.id}`} />
    </Content>
  );
}
