import { createHash } from 'node:crypto';
import { dayMs, hourMs } from '@parapet/contract/rules/duration.ts';
import { describe, expect, it, vi } from 'vitest';
import { allDevices, deviceTypes, fleetOf } from './fleet.ts';
import { checkInsBetween, type HistoryOptions, history, storyLabels } from './history.ts';
import { liveShipment } from './live.ts';
import { organisations, sites } from './organisations.ts';
import { peopleAt } from './people.ts';
import { personas } from './personas.ts';
import { stories } from './stories/schedule.ts';
import type { Document, Shipment } from './types.ts';

// Covers a whole year, which takes long on a busy machine.
vi.setConfig({ testTimeout: 30_000 });

const options: HistoryOptions = { seed: 'parapet', now: Date.parse('2026-11-20T15:42:31Z') };

function take(count: number, from: HistoryOptions): Shipment[] {
  const taken: Shipment[] = [];
  for (const shipment of history(from)) if (taken.push(shipment) === count) break;
  return taken;
}
const digest = (shipments: Shipment[]) => createHash('sha256').update(JSON.stringify(shipments)).digest('hex');
const timeOf = (document: Document) =>
  Date.parse(String(document['@timestamp'] ?? document.createdDateTime ?? `${document.CreationTime}Z`));

describe('history', () => {
  const before = process.cpuUsage();
  const year = [...history(options)];
  const used = process.cpuUsage(before);
  const tookMs = (used.user + used.system) / 1_000;
  const documents = year.flatMap((shipment) => shipment.documents);

  it('returns the same history for the same seed and time, and another for another seed', () => {
    expect(digest(take(1_000, options))).toBe(digest(take(1_000, options)));
    expect(digest(take(1_000, { ...options, seed: 'another' }))).not.toBe(digest(take(1_000, options)));
  });

  it('stays the same over a day except at its end', () => {
    const earlier = new Set(
      [...history({ ...options, now: options.now - 3 * hourMs })].flatMap((s) => s.documents.map((d) => d._id)),
    );
    const past = year.filter((shipment) => shipment.at < options.now - dayMs && shipment.at > options.now - 300 * dayMs);
    const known = past.flatMap((shipment) => shipment.documents).filter((document) => earlier.has(document._id));
    expect(known.length / past.flatMap((shipment) => shipment.documents).length).toBeGreaterThan(0.99);
  });

  it('sends shipments in order, never before their events, and ends now', () => {
    let last = 0;
    for (const { at, documents: sent } of year) {
      expect(at).toBeGreaterThanOrEqual(last);
      last = at;
      for (const document of sent) expect(timeOf(document)).toBeLessThanOrEqual(at);
    }
    expect(last).toBeLessThanOrEqual(options.now);
    expect(last).toBeGreaterThan(options.now - 2 * 60_000);
    expect(year[0]!.at).toBeLessThan(options.now - 363 * dayMs);
  });

  it('assigns a unique id to each document', () => {
    expect(new Set(documents.map((document) => document._id)).size).toBe(documents.length);
  });

  it('stays small enough for a first start', () => {
    expect(documents.length).toBeGreaterThan(35_000);
    expect(documents.length).toBeLessThan(50_000);
    expect(year.length).toBeLessThan(8_000);
    expect(tookMs).toBeLessThan(8_000);
  });

  it('uses only documentation and private addresses, and example names', () => {
    const text = documents
      .filter((_, index) => index % 3 === 0 || index > documents.length - 8_000)
      .map((document) => JSON.stringify(document))
      .join('\n');
    expect(foreignAddresses(text)).toEqual([]);
    expect(foreignAddresses('{"ip":"8.8.8.8"} from 9.9.9.9 port 22, http://7.7.7.7/ Chrome/141.0.0.0 10.0.19045.5011')).toEqual([
      '8.8.8.8',
      '9.9.9.9',
      '7.7.7.7',
    ]);
    const mails = new Set(text.match(/[a-z0-9._-]+@[a-z0-9-]+(?:\.[a-z0-9-]+)+/gi));
    expect([...mails].filter((mail) => !/\.(?:example|test)$/i.test(mail) && !/@\d/.test(mail))).toEqual([]);
  });

  it('scales the number of events', () => {
    const half = [...history({ ...options, months: 1, scale: 0.5 })].flatMap((shipment) => shipment.documents).length;
    const double = [...history({ ...options, months: 1, scale: 2 })].flatMap((shipment) => shipment.documents).length;
    expect(double).toBeGreaterThan(half * 2);
  });

  it('labels the documents of its stories', () => {
    const labels = storyLabels(options);
    const present = new Set(documents.map((document) => document._id));
    expect([...labels.keys()].every((id) => present.has(id))).toBe(true);
    expect(new Set([...labels.values()].map((label) => label.story))).toEqual(new Set(stories.map((story) => story.name)));
    expect(JSON.stringify(documents[0])).not.toContain('story');
  });
});

/** Addresses outside the documentation, private and link-local networks, except for browser versions (`Chrome/141.0.0.0`). */
function foreignAddresses(text: string): string[] {
  const found = new Set(text.match(/(?<![\d.]|[A-Za-z]\/)(?:\d{1,3}\.){3}\d{1,3}(?![\d.])/g));
  return [...found].filter((address) => !/^(?:192\.0\.2|198\.51\.100|203\.0\.113|10|127|169\.254\.169)\./.test(address));
}

describe('organisations and fleet', () => {
  it('matches the demo world of the design', () => {
    expect(organisations.map(({ id, name }) => `${id} ${name}`)).toEqual([
      '1 Parapet Security',
      '2 Harbor Managed IT',
      '3 Summit Cyber',
      '10 Alder Manufacturing',
      '11 Birch Dental Group',
      '12 Cedar Credit Union',
      '20 Dogwood Logistics',
      '21 Elm School District',
      '30 Fir Biotech',
    ]);
    expect(personas).toHaveLength(15);
    expect(new Set(personas.map(({ email }) => email)).size).toBe(15);
    expect(sites.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1);
  });

  it('contains devices of all types, some silent, some outdated, and one person per workstation', () => {
    expect(fleetOf(10)).toHaveLength(60);
    expect(new Set(allDevices.map(({ type }) => type))).toEqual(new Set(deviceTypes));
    expect(allDevices.some(({ silentForDays }) => silentForDays !== undefined)).toBe(true);
    expect(allDevices.some(({ isOutdated }) => isOutdated)).toBe(true);
    for (const { organisationId } of sites) {
      expect(new Set(fleetOf(organisationId).map(({ name }) => name)).size).toBe(fleetOf(organisationId).length);
      expect(new Set(fleetOf(organisationId).map(({ ip }) => ip)).size).toBe(fleetOf(organisationId).length);
      expect(peopleAt(organisationId).length).toBeGreaterThanOrEqual(8);
    }
  });

  it('streams a few events each tick, the same for the same tick', () => {
    const now = options.now;
    const ticks = Array.from({ length: 720 }, (_, tick) => liveShipment({ seed: 'parapet', tick, now: now + tick * 5_000 }));
    expect(ticks[7]).toEqual(liveShipment({ seed: 'parapet', tick: 7, now: now + 35_000 }));
    const sent = ticks.flat().flatMap((shipment) => shipment.documents);
    expect(sent.length / ticks.length).toBeGreaterThan(1);
    expect(sent.length / ticks.length).toBeLessThan(6);
    expect(new Set(sent.map((document) => document._id)).size).toBe(sent.length);
  });
});

it('returns the active devices of days without background events: deterministic, growing, fewer at weekends', () => {
  const options = { seed: 'x', now: Date.parse('2026-11-20T09:00:00Z') };
  const days = (from: string, to: string) => checkInsBetween(Date.parse(from), Date.parse(to), 10, options);
  expect(days('2026-10-20T12:00:00Z', '2026-11-20T09:00:00Z')).toEqual([]);
  const perDay = (from: string, to: string) => {
    const found = days(from, to);
    return found.length / new Set(found.map(({ at }) => at)).size;
  };
  // Five working days each, then a weekend.
  const early = perDay('2025-12-07T12:00:00Z', '2025-12-12T12:00:00Z');
  const late = perDay('2026-10-11T12:00:00Z', '2026-10-16T12:00:00Z');
  expect(late).toBeGreaterThan(early + 5);
  expect(perDay('2026-10-16T12:00:00Z', '2026-10-18T12:00:00Z')).toBeLessThan(late - 10);
  // The result is the same in pieces.
  const whole = days('2026-03-01T00:00:00Z', '2026-03-11T05:00:00Z');
  expect([
    ...days('2026-03-01T00:00:00Z', '2026-03-05T17:00:00Z'),
    ...days('2026-03-05T17:00:00Z', '2026-03-11T05:00:00Z'),
  ]).toEqual(whole);
});
