import { hourMs, minuteMs } from '@parapet/contract/rules/duration.ts';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import {
  alerts,
  batch,
  copies,
  database,
  detector,
  event,
  eventWriter,
  eventWriterOn,
  expectRollupsToHold,
  hits,
  inOrganisation,
  type Made,
  noon,
  otherProcess,
  setUpEventWriter,
  storedEvents,
  summary,
  writeBatch,
} from '../../test/event-writer.ts';
import type { Document, Event } from './event.ts';

setUpEventWriter();

describe('alerts', () => {
  test('raises an alert with its rule, device, user and a copy of the event', async () => {
    const one = event({ rules: ['plain'] });
    const { alertIds } = await writeBatch(one, event());
    const [alert, ...others] = await alerts();
    expect(others).toEqual([]);
    expect(alert).toMatchObject({
      id: alertIds[0],
      key: 'plain',
      at: new Date(one.at),
      last_at: new Date(one.at),
      criticality: 3,
      device_name: 'web01',
      user_name: 'mallory',
      summary: 'something by mallory',
      fire_count: 1,
      is_new: true,
    });
    const [copy] = await copies(alert!.id);
    expect(copy).toMatchObject({ event_id: one.id, event_at: new Date(one.at), text: one.text, document: one.document });
    await expectRollupsToHold();
  });

  test('groups repeats into one alert with the right count and at most 20 copies, in one batch or many', async () => {
    await writeBatch(...Array.from({ length: 15 }, (_, i) => event({ rules: ['plain'], at: noon + i })));
    await writeBatch(...Array.from({ length: 15 }, (_, i) => event({ rules: ['plain'], at: noon + minuteMs + i })));
    await writeBatch(event({ rules: ['plain'], at: noon + 2 * minuteMs }));
    const [alert, ...others] = await alerts();
    expect(others).toEqual([]);
    expect(alert).toMatchObject({ fire_count: 31, at: new Date(noon), last_at: new Date(noon + 2 * minuteMs) });
    expect((await copies(alert!.id)).map((copy) => copy.event_at.getTime())).toEqual([
      ...Array.from({ length: 15 }, (_, i) => noon + i),
      ...Array.from({ length: 5 }, (_, i) => noon + minuteMs + i),
    ]);
    await expectRollupsToHold();
  });

  test('makes one alert of all rules that an event matches, the worst in front', async () => {
    const one = event({ rules: ['minor', 'other', 'plain', 'failed'] });
    await writeBatch(one);
    const [alert, ...others] = await alerts();
    expect(others).toEqual([]);
    expect(alert).toMatchObject({ key: 'other', criticality: 5, fire_count: 1 });
    const further = ['plain', 'minor'].map((key) => detector.known(key).id);
    expect(alert!.also_rule_ids).toEqual(further);
    expect(await copies(alert!.id)).toMatchObject([{ event_id: one.id, why: { condition: 'selection' } }]);
    await writeBatch(event({ rules: ['other'] }), event({ rules: ['other', 'hint'] }));
    await writeBatch(event({ rules: ['plain'] }));
    expect((await alerts()).map((each) => [each.key, each.fire_count, [...each.also_rule_ids].sort()])).toEqual([
      ['other', 3, [...further, detector.known('hint').id].sort()],
      ['plain', 1, []],
    ]);
    await expectRollupsToHold();
  });

  test('groups one machine and user in either case of their names', async () => {
    await writeBatch(event({ rules: ['plain'], device: 'WEB01', user: 'Mallory' }), event({ rules: ['plain'] }));
    expect(await summary()).toEqual(['plain ×2']);
  });

  test('starts another alert beyond the window, and a late event does not replace the newest alert', async () => {
    await writeBatch(event({ rules: ['plain'], at: noon }));
    await writeBatch(event({ rules: ['plain'], at: noon + 61 * minuteMs }));
    await writeBatch(event({ rules: ['plain'], at: noon - 3 * hourMs }));
    await writeBatch(event({ rules: ['plain'], at: noon + 62 * minuteMs }));
    expect((await alerts()).map((alert) => [alert.at.getTime() - noon, alert.fire_count])).toEqual([
      [-3 * hourMs, 1],
      [0, 1],
      [61 * minuteMs, 2],
    ]);
    await expectRollupsToHold();
  });

  test('separates rules, devices and users, and groups nothing without a window', async () => {
    await writeBatch(
      event({ rules: ['other'] }),
      event({ rules: ['plain'] }),
      event({ rules: ['plain'], device: 'web02' }),
      event({ rules: ['plain'], user: 'eve' }),
      event({ rules: ['plain'], device: null }),
    );
    expect((await alerts()).map((alert) => `${alert.key} ${alert.device_name} ${alert.user_name}`).sort()).toEqual([
      'other web01 mallory',
      'plain null mallory',
      'plain web01 eve',
      'plain web01 mallory',
      'plain web02 mallory',
    ]);
    await eventWriterOn(database.db, 0).writeBatch(
      batch([event({ rules: ['plain'], at: noon + 1 }), event({ rules: ['plain'], at: noon + 2 })]),
    );
    expect(await alerts()).toHaveLength(7);
    await expectRollupsToHold();
  });

  test('counts alerts in the month, day and hour in which they happened', async () => {
    const times = [
      '2026-01-31T23:59:59.999Z',
      '2026-02-01T00:00:00.000Z',
      '2026-02-01T00:59:59.000Z',
      '2026-02-01T01:00:00.000Z',
      '2026-03-31T23:00:00.000Z',
    ];
    const ungrouped = eventWriterOn(database.db, 0);
    for (const [i, at] of times.entries()) {
      await ungrouped.writeBatch(
        batch([
          event({ rules: ['plain'], at: Date.parse(at), device: `d${i % 2}` }),
          event({ rules: ['other'], at: Date.parse(at), device: `d${i % 2}` }),
          event({ rules: ['other'], at: Date.parse(at), device: null, user: null }),
        ]),
      );
    }
    await expectRollupsToHold();
    expect(await alerts()).toHaveLength(15);
  });

  test('raises nothing for a batch that was sent again', async () => {
    const events = [
      event({ rules: ['plain'] }),
      ...Array.from({ length: 10 }, (_, i) => event({ rules: ['failed'], at: noon + i, user: 'root' })),
    ];
    await writeBatch(...events);
    const before = await alerts();
    expect(before.map(({ key }) => key).sort()).toEqual(['burst', 'plain']);
    const again = await writeBatch(...events);
    expect(again.alertIds).toEqual([]);
    expect(await alerts()).toEqual(before);
    // Of the ten, only the firing (which a later step may follow) and the one value remain.
    expect((await hits()).map((hit) => hit.base_key).sort()).toEqual(['failed', 'first']);
  });
});

describe('correlations', () => {
  const failures = (count: number, from = noon, made: Made = {}) =>
    Array.from({ length: count }, (_, i) => event({ rules: ['failed'], at: from + i * 1_000, user: 'root', ...made }));

  test('reach their threshold over two batches, with the events of both as evidence', async () => {
    await writeBatch(...failures(6));
    expect(await alerts()).toEqual([]);
    await writeBatch(...failures(4, noon + minuteMs));
    const [alert] = await alerts();
    expect(await summary()).toEqual(['burst ×1']);
    expect(alert).toMatchObject({
      at: new Date(noon + minuteMs + 3_000),
      device_name: 'web01',
      user_name: 'root',
      summary: 'burst: 10 events (source.ip 203.0.113.9)',
    });
    const evidence = await copies(alert!.id);
    expect(evidence).toHaveLength(10);
    expect(evidence.every((copy) => (copy.document.user as Document).name === 'root')).toBe(true);
    await expectRollupsToHold();
  });

  test('consume their hits: twenty failures match twice however they are batched', async () => {
    for (const [first, ...sizes] of [[20], [10, 10], [7, 7, 6], [1, ...Array<number>(19).fill(1)]]) {
      const ip = `10.0.0.${sizes.length}`;
      let at = noon;
      for (const size of [first!, ...sizes]) {
        await writeBatch(...failures(size, at, { ip }));
        at += size * 1_000;
      }
    }
    expect(await summary()).toEqual(['burst ×2', 'burst ×2', 'burst ×2', 'burst ×2']);
    expect((await hits()).filter((hit) => hit.base_key === 'failed' && hit.value === null)).toEqual([]);
    await expectRollupsToHold();
  });

  test('separate groups and windows', async () => {
    await writeBatch(...failures(9), ...failures(9, noon, { ip: '203.0.113.10' }));
    await writeBatch(...failures(9, noon + 11 * minuteMs));
    expect(await alerts()).toEqual([]);
    await writeBatch(...failures(1, noon + 12 * minuteMs));
    expect(await summary()).toEqual(['burst ×1']);
  });

  test('judge events by their own time in any order of arrival', async () => {
    const events = failures(10).reverse();
    for (const one of events) await writeBatch(one);
    expect(await summary()).toEqual(['burst ×1']);
    expect((await alerts())[0]?.at.getTime()).toBe(noon + 9_000);
  });

  test('count distinct values, and repeats of one value store no further hits', async () => {
    const users = (names: string[], from: number) =>
      names.map((user, i) => event({ rules: ['failed'], at: from + i, user, device: `d${i}`, ip: '198.51.100.7' }));
    await writeBatch(...users(['a', 'b', 'a', 'b', 'c'], noon));
    await writeBatch(...users(Array<string>(8).fill('a'), noon + minuteMs));
    expect((await alerts()).filter((alert) => alert.key === 'spray')).toEqual([]);
    const { rows } = await inOrganisation((tx) =>
      sql`select value from correlation_hits where value is not null order by value`.execute(tx),
    );
    expect(rows).toEqual([{ value: 'a' }, { value: 'b' }, { value: 'c' }]);
    await writeBatch(...users(['d'], noon + 2 * minuteMs));
    const spray = (await alerts()).find((alert) => alert.key === 'spray');
    expect(spray).toMatchObject({
      fire_count: 1,
      device_name: null,
      user_name: null,
      summary: 'spray: 4 different values of user.name (source.ip 198.51.100.7)',
    });
    expect(await copies(spray!.id)).toHaveLength(4);
  });

  test('build on correlations: a logon after a burst, in one batch, in two, and late', async () => {
    const accepted = (at: number, ip: string) => event({ rules: ['accepted'], at, user: 'root', ip });
    await writeBatch(...failures(10), accepted(noon + minuteMs, '203.0.113.9'));
    expect(await summary()).toEqual(['burst ×1', 'taken ×1']);
    await writeBatch(...failures(10, noon, { ip: '10.1.1.1' }));
    await writeBatch(accepted(noon + minuteMs, '10.1.1.1'));
    await writeBatch(accepted(noon + minuteMs, '10.1.1.2'));
    await writeBatch(...failures(10, noon, { ip: '10.1.1.2' }));
    await writeBatch(accepted(noon + hourMs, '10.1.1.1'));
    expect((await summary()).sort()).toEqual(['burst ×1', 'burst ×1', 'burst ×1', 'taken ×1', 'taken ×1', 'taken ×1']);
  });

  test('with an upper bound are judged when their window has ended', async () => {
    const others = (count: number, from: number) =>
      Array.from({ length: count }, (_, i) => event({ rules: ['rare'], at: from + i, ip: '192.0.2.1' }));
    await writeBatch(...others(2, noon));
    expect((await alerts()).filter((alert) => alert.key === 'few')).toHaveLength(1);
    await writeBatch(...others(3, noon + 20 * minuteMs));
    expect((await alerts()).filter((alert) => alert.key === 'few')).toHaveLength(1);
  });
});

describe('two processes', () => {
  test('reach a threshold exactly once, losing and doubling nothing', async () => {
    const rounds = 12;
    const all: Event[] = [];
    const work: Promise<unknown>[] = [];
    for (let i = 0; i < rounds; i++) {
      const events = [
        ...Array.from({ length: 5 }, (_, j) =>
          event({ rules: ['failed'], at: noon + i * 1_000 + j, user: 'root', device: `d${j}` }),
        ),
        ...Array.from({ length: 20 }, (_, j) =>
          event({ rules: j % 2 ? ['plain'] : [], at: noon + i * 1_000 + j, user: `u${j % 4}`, device: `d${j % 3}` }),
        ),
      ];
      all.push(...events);
      work.push((i % 2 ? eventWriter : otherProcess).writeBatch(batch(events)));
      // The same batch at the same time through the other process, as after a shipper’s timeout.
      work.push((i % 2 ? otherProcess : eventWriter).writeBatch(batch([...events].reverse())));
    }
    await Promise.all(work);
    expect(await storedEvents()).toHaveLength(all.length);
    const raised = await alerts();
    // 60 failures match six times by ten; each group of rule, device and user is one alert.
    expect(raised.find((alert) => alert.key === 'burst')?.fire_count).toBe(6);
    const plain = raised.filter((alert) => alert.key === 'plain');
    expect(new Set(plain.map((alert) => `${alert.device_name} ${alert.user_name}`)).size).toBe(plain.length);
    expect(plain.reduce((sum, alert) => sum + alert.fire_count, 0)).toBe(rounds * 10);
    await expectRollupsToHold();
    const { rows } = await inOrganisation((tx) => sql`select reason, count from ingest_counters order by reason`.execute(tx));
    expect(rows).toEqual([
      { reason: 'duplicate', count: all.length },
      { reason: 'stored', count: all.length },
    ]);
  });
});
