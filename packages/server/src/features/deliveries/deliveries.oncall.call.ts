/** Calls of the person on call, by email of the portal (docs/decisions/0128-on-call.md). */
import type { Message, Outcome } from '@parapet/connectors/out/target.ts';
import { onCallPlaces, onCallSpanAt, type Span } from '@parapet/contract/rules/onCall.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { scoped, type Tx } from '../../core/db/scope.ts';
import { onOneLine } from '../../core/mail/render.ts';
import type { OutboxService } from '../outbox/outbox.service.ts';
import * as store from './deliveries.oncall.store.ts';

/** Longest note. */
const maxNote = 2_000;
/** In a gap of all places the rota is read again after it: a swap may fill the gap. */
const gapMs = 5 * 60_000;

export interface CallDeps {
  db: Database;
  clock: Clock;
  outbox: Pick<OutboxService, 'queue' | 'isSending'>;
}

interface CallTarget {
  id: number;
  organisationId: number;
  settings: Record<string, string>;
}

interface Called {
  person: store.Person;
  span: Span;
}

/** The person of a place, or of the next one in a gap; else the wait until the rota is read again. */
export async function findCalled(
  tx: Tx,
  { organisationId, settings }: CallTarget,
  now: number,
): Promise<Called | { waitMs: number }> {
  const spans = await store.listSpans(tx, organisationId, new Date(now), new Date(now + gapMs));
  const overrides = await store.listOverrides(tx, organisationId, new Date(now));
  const people = await store.listPeople(tx, 'system', organisationId);
  const first = Number(settings.place);
  for (let place = first; place <= onCallPlaces; place++) {
    const { span } = onCallSpanAt(spans, overrides, place, now);
    const person = span && people.find(({ id }) => id === span.userId);
    if (person) return { person, span };
  }
  const begins = [...spans, ...overrides]
    .filter(({ place, starts }) => place >= first && starts > now)
    .map(({ starts }) => starts);
  return { waitMs: Math.min(gapMs, ...begins.map((starts) => starts - now)) };
}

async function paragraphsOf(tx: Tx, target: CallTarget, message: Message, { person, span }: Called): Promise<string[]> {
  if (message.event === 'test') return ['This is a test: you are on call.'];
  const { organisationId } = target;
  const hasNext = message.event.startsWith('case.') && (await store.hasNextLevel(tx, target, Number(message.data.id)));
  const isFirst = !(await store.wasCalled(tx, organisationId, person.email, new Date(span.starts)));
  const [note] = isFirst ? await store.listNotes(tx, { organisationIds: [organisationId] }, organisationId, 1) : [];
  return [
    hasNext
      ? 'You are on call. The next level of escalation is called if the case is not acknowledged in time.'
      : 'You are on call.',
    ...(note ? [`Hand-over note: ${onOneLine(note.text, maxNote)}`] : []),
  ];
}

/** Emails the person who is on call at the place of a target now; once for each message. */
export const createCall =
  ({ db, clock, outbox }: CallDeps) =>
  (target: CallTarget, message: Message) =>
    scoped(db, 'system', async (tx): Promise<Outcome> => {
      const called = await findCalled(tx, target, clock.now());
      if ('waitMs' in called)
        return {
          kind: 'retry',
          words: 'No person is on call now: the call waits for the next turn. Fill the rota under Deliveries › On call.',
          afterMs: called.waitMs,
        };
      const { email } = called.person;
      const { isSending } = outbox;
      await outbox.queue(tx, {
        organisationId: target.organisationId,
        kind: 'delivery.onCall',
        // One that was only stored does not stand for one that is sent later.
        name: `on-call-${target.id}-${message.id}${isSending ? '' : '-stored'}`,
        to: [email],
        subject: `On call: ${message.title}`,
        title: message.title,
        facts: message.facts.map(([name, value]) => [name, value]),
        paragraphs: await paragraphsOf(tx, target, message, called),
        action: { label: 'Open in the portal', url: message.url },
      });
      if (isSending) return { kind: 'accepted', id: email };
      return {
        kind: 'refused',
        words: `The portal has no mail server: the email to ${email} stays in the outbox. Set up a mail server, then replay.`,
      };
    });

export type Call = ReturnType<typeof createCall>;
