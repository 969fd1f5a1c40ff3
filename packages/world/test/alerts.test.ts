/**
 * Verifies that the world triggers its intended rules: its documents through the server's normaliser and the engine. Reads across
 * packages by relative path on purpose; `src` imports nothing.
 */
import { describe, expect, it, vi } from 'vitest';
import { alertTriggers } from '../src/everyday/alert-triggers.ts';
import { deviceNamed, fleetOf } from '../src/fleet.ts';
import { type HistoryOptions, history, storyLabels } from '../src/history.ts';
import { liveShipment } from '../src/live.ts';
import { sites } from '../src/organisations.ts';
import { peopleAt } from '../src/people.ts';
import { randomFor } from '../src/random.ts';
import { stories } from '../src/stories/schedule.ts';
import { passwordSpray, sshdSuccess, sudoLine } from '../src/syslog.ts';
import type { Shipment } from '../src/types.ts';
import { countBy, raise, readRules } from './measure.ts';

vi.setConfig({ testTimeout: 30_000 });

const now = Date.parse('2026-11-20T15:42:31Z');
const options: HistoryOptions = { seed: 'parapet', now };
const rules = readRules();
const levelOf = new Map([...rules.rules, ...rules.correlations].map((rule) => [rules.nameOf(rule.id), rule.level]));

describe('a year of the world', () => {
  const { alerts, devices } = raise(history(options), rules);
  const byRule = countBy(alerts, ({ rule }) => rule);
  const byLevel = countBy(alerts, ({ level }) => level);
  const share = (level: string) => (byLevel.get(level) ?? 0) / alerts.length;

  it('raises about 20,000 alerts, with growing frequency', () => {
    expect(alerts.length).toBeGreaterThan(18_000);
    expect(alerts.length).toBeLessThan(22_500);
    const lastMonth = alerts.filter(({ at }) => at > now - 30 * 86_400_000).length;
    expect(lastMonth).toBeGreaterThan(3_500);
    for (let month = 0; month < 12; month++) {
      const end = now - month * 30.4 * 86_400_000;
      expect(alerts.filter(({ at }) => at <= end && at > end - 30.4 * 86_400_000).length).toBeGreaterThan(800);
    }
  });

  it('raises mostly harmless alerts: a heavy tail of rules, few high, less than 1% critical', () => {
    expect(byRule.size).toBeGreaterThanOrEqual(100);
    expect(share('informational') + share('low')).toBeGreaterThan(0.6);
    expect(share('medium')).toBeGreaterThan(0.12);
    expect(share('high')).toBeGreaterThan(0.03);
    expect(share('high')).toBeLessThan(0.12);
    expect(share('critical')).toBeGreaterThan(0.001);
    expect(share('critical')).toBeLessThan(0.01);
    const counts = [...byRule.values()];
    const top = counts.slice(0, 10).reduce((sum, count) => sum + count, 0);
    expect(top / alerts.length).toBeGreaterThan(0.4);
    expect(counts[0]! / alerts.length).toBeLessThan(0.2);
  });

  it('keeps office hours', () => {
    const byWeekday = countBy(alerts, ({ at }) => String(new Date(at).getUTCDay()));
    expect(byWeekday.get('3')!).toBeGreaterThan(2 * byWeekday.get('0')!);
    const byHour = countBy(alerts, ({ at }) => String(new Date(at).getUTCHours()));
    expect(byHour.get('16')!).toBeGreaterThan(3 * byHour.get('6')!);
  });

  it('raises alerts at all clients, most at Alder and fewest at Elm', () => {
    const byOrganisation = countBy(alerts, ({ organisationId }) => String(organisationId));
    expect([...byOrganisation.keys()].at(0)).toBe('10');
    expect([...byOrganisation.keys()].at(-1)).toBe('21');
    expect(byOrganisation.size).toBe(sites.length);
  });

  it('names exactly the fleet as devices', () => {
    for (const { organisationId } of sites)
      expect([...devices.get(organisationId)!].sort()).toEqual(
        fleetOf(organisationId)
          .map(({ name }) => name)
          .sort(),
      );
  });

  it('matches the rule of every alert trigger, at its level', () => {
    expect(alertTriggers.filter(({ rule }) => !byRule.has(rule)).map(({ rule }) => rule)).toEqual([]);
    expect(alertTriggers.filter(({ rule, level }) => levelOf.get(rule) !== level).map(({ rule }) => rule)).toEqual([]);
  });

  it('matches the key rules of every instance of every story', () => {
    const labels = storyLabels(options);
    const fired = new Map<string, Set<string>>();
    for (const { documentId, rule } of alerts) {
      const label = labels.get(documentId);
      if (!label) continue;
      const key = `${label.story} ${label.instance}`;
      fired.set(key, (fired.get(key) ?? new Set()).add(rule));
    }
    const instances = new Set([...labels.values()].map(({ story, instance }) => `${story} ${instance}`));
    for (const story of stories)
      for (const instance of instances)
        if (instance.startsWith(`${story.name} `))
          expect([...(fired.get(instance) ?? [])], instance).toEqual(expect.arrayContaining([...story.keyRules]));
    expect(instances.size).toBeGreaterThanOrEqual(40);
  });

  it('leaves the domain controller of Alder under attack up to the last hour', () => {
    const controller = deviceNamed('ALD-DC-01', 10);
    const recent = alerts.filter(({ at, device }) => device === controller.name && at > now - 46 * 3_600_000);
    expect(recent.map(({ rule }) => rule)).toContain('windows/directory-replication-by-user');
  });
});

describe('background events', () => {
  it('raises no alert', async () => {
    const { harmless } = await import('../src/background.ts');
    const { shipment } = await import('../src/history.ts');
    const random = randomFor('harmless');
    const shipments: Shipment[] = [];
    for (const { organisationId } of sites)
      for (const device of fleetOf(organisationId))
        for (let count = 0; count < 40; count++) {
          const at = now - random.int(0, 20 * 86_400_000);
          shipments.push(shipment(at, [harmless(device, at, random)]));
        }
    expect(peopleAt(10).length).toBeGreaterThan(0);
    expect(raise(shipments, rules).alerts.map(({ rule, device }) => `${rule} on ${device}`)).toEqual([]);
  });
});

describe('live stream', () => {
  it('raises an alert every one or two minutes', () => {
    const ticks = Array.from({ length: 1_440 }, (_, tick) => liveShipment({ seed: 'parapet', tick, now: now + tick * 5_000 }));
    const { alerts } = raise(ticks.flat(), rules);
    expect(alerts.length).toBeGreaterThan(55);
    expect(alerts.length).toBeLessThan(170);
  });
});

describe('raw syslog for browser tests', () => {
  const sent = (lines: { document: Record<string, unknown> }[]): Shipment[] => [
    {
      at: now,
      organisationId: 10,
      index: 'syslog',
      documents: lines.map(({ document }, index) => ({ _id: String(index), ...document })),
    },
  ];
  it('matches the spray and the sudo rule', () => {
    const spray = passwordSpray('web01', '203.0.113.9', now);
    expect(spray[0]!.rfc3164).toMatch(
      /^<38>Nov 20 15:42:31 web01 sshd\[2211\]: Failed password for root from 203\.0\.113\.9 port 50000 ssh2$/,
    );
    expect(raise(sent(spray), rules).alerts.map(({ rule }) => rule)).toEqual(['linux/sshd-password-spraying']);
    expect(
      raise(sent([sudoLine('web01', 'mallory', '/usr/bin/cat /etc/shadow', now)]), rules).alerts.map(({ rule }) => rule),
    ).toEqual(['linux/sudo-reads-secrets']);
    expect(raise(sent([sshdSuccess('web01', 'ada', '10.0.0.7', now)]), rules).alerts).toEqual([]);
  });
});
