import { dayMs } from '@parapet/contract/rules/duration.ts';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { useTestDatabase } from '../../../test/database.ts';
import { seedMonths } from '../../../test/seed.ts';
import { putEvents } from '../../../test/storedEvents.ts';
import { systemClock } from '../../core/clock.ts';
import { scoped } from '../../core/db/scope.ts';
import type { EventSink } from '../../core/http/event-stream.ts';
import { silentLog } from '../../core/log.ts';
import { createLiveEvents } from './events.live.ts';

const [alder, birch] = [4101, 4102];
const database = useTestDatabase();
let live: ReturnType<typeof createLiveEvents>;

function reader() {
  let text = '';
  let isEnded = false;
  const sink: EventSink = {
    write: (part) => {
      text += part;
    },
    backlog: () => 0,
    end: () => {
      isEnded = true;
    },
    drop: () => {
      isEnded = true;
    },
    onClose: () => {},
  };
  const texts = (): string[] => [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data!).text);
  return { sink, texts, isEnded: () => isEnded };
}
const put = (organisationId: number, text: string, receivedAt = Date.now()) =>
  scoped(database.db, { organisationIds: [organisationId] }, (tx) =>
    putEvents(tx, organisationId, [{ at: Date.now() - 3_600_000, received_at: receivedAt, text, document: { text } }]),
  );
const follow = (organisationIds: number[], search = '', stillAllowed = async () => true, userId = 1) => {
  const me = reader();
  live.follow({
    userId,
    scope: { organisationIds },
    filter: { search, text: '', field: [] },
    open: () => me.sink,
    stillAllowed,
  });
  return me;
};

beforeAll(async () => {
  await scoped(database.db, 'system', (tx) =>
    tx
      .insertInto('organisations')
      .values([alder, birch].map((id) => ({ id, name: `Organisation ${id}` })))
      .execute(),
  );
  await seedMonths(database.db, Date.now() - dayMs, Date.now() + dayMs);
});
afterEach(() => live.close());

const open = () => {
  const times = { pollMs: 30, heartbeatMs: 60_000, recheckMs: 60_000 };
  live = createLiveEvents({ db: database.db, clock: systemClock, log: silentLog }, times);
};

describe('live tail', () => {
  test('sends each arriving match once, to those who may see it', async () => {
    open();
    await put(alder, 'needle before');
    const stored = Date.now();
    await vi.waitUntil(() => Date.now() > stored, { interval: 1 });
    const [mine, theirs] = [follow([alder], 'needle'), follow([birch], 'needle')];
    await put(alder, 'needle one');
    await put(alder, 'hay');
    await put(birch, 'needle of birch');
    await vi.waitFor(() => expect(mine.texts()).toEqual(['needle one']), 10_000);
    await put(alder, 'needle two');
    await vi.waitFor(() => expect(mine.texts()).toEqual(['needle one', 'needle two']), 10_000);
    await vi.waitFor(() => expect(theirs.texts()).toEqual(['needle of birch']), 10_000);
  });

  test('ends without a further event once the reader lost access', async () => {
    open();
    const me = follow([alder], '', async () => false);
    await put(alder, 'secret');
    await vi.waitFor(() => expect(me.isEnded()).toBe(true), 10_000);
    expect(me.texts()).toEqual([]);
  });

  test('refuses an eleventh stream of a person, with the reason', () => {
    open();
    for (let count = 0; count < 10; count++) follow([alder]);
    expect(() => follow([alder])).toThrow('You follow live event searches in 10 places already.');
  });

  test('refuses a stream beyond those that a process reads, until one ends', () => {
    open();
    const streams = Array.from({ length: 50 }, (_, person) => follow([alder], '', undefined, person));
    expect(() => follow([alder], '', undefined, 50)).toThrow('50 live searches are open, the maximum.');
    expect(streams.every((each) => !each.isEnded())).toBe(true);
  });
});
