/**
 * The time machine against a world that was lived with its change from the beginning: random events, random changes of rules, correlations, switches,
 * severities and exceptions; the same alerts gained, lost and changed.
 */

import { criticalityOf, severityOf } from '@parapet/contract/primitives.ts';
import type { RuleChange } from '@parapet/contract/rulePreviews.ts';
import { hourMs, minuteMs } from '@parapet/contract/rules/duration.ts';
import { expect, test } from 'vitest';
import {
  alerts,
  correlation,
  database,
  detector,
  event,
  inOrganisation,
  noon,
  rule,
  setUpEventWriter,
  writeBatch,
} from '../../../test/event-writer.ts';
import { scoped } from '../../core/db/scope.ts';
import { eventStore } from '../../domain/events/eventStore.ts';
import { concernedBy, createPastJudge, type PastAlert } from '../../pipeline/past.ts';
import { revisionOf } from '../../pipeline/rule-set.ts';
import { withChange } from './previews.worker.ts';

const changes = Number(process.env.LIVED_CHANGES ?? 20);
const changesATest = 10;
const eventsAWorld = 40;
const provider = 1;
type Change = Exclude<RuleChange, { kind: 'suppression' }>;
type Random = (below: number) => number;

/** Numbers from 0 to below a bound, the same for a seed. */
function seeded(seed: number): Random {
  let state = seed * 2_654_435_761 + 1;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const pick = <T>(random: Random, values: readonly T[]): T => values[random(values.length)]!;

interface Occurrence {
  at: number;
  action: string;
  /** Each address has a device and two users of its own, so that a device names the group of a correlation. */
  device: number;
  user: number;
}

const actions = [
  'plain',
  'other',
  'minor',
  'accepted',
  'accepted',
  'nothing',
  'failed',
  'failed',
  'failed',
  'failed',
  'failed',
  'failed',
];
function worldOf(random: Random): Occurrence[] {
  let at = noon;
  return Array.from({ length: eventsAWorld }, () => {
    at += 1 + random(random(6) === 0 ? 100 * minuteMs : 3 * minuteMs);
    return { at, action: pick(random, actions), device: random(2), user: random(4) };
  });
}

const single = ['plain', 'other', 'minor', 'accepted', 'failed'];
const counting = ['burst', 'spray', 'taken'];

function changeOf(random: Random, client: number): Change {
  const kind = pick(random, ['exception', 'override', 'text', 'correlation'] as const);
  if (kind === 'exception') {
    const [ruleID, user] = [pick(random, single), random(4)];
    const yaml = `title: Exception\nlogsource:\n  product: linux\nfilter:\n  rules:\n    - ${ruleID}\n  selection:\n    user.name: user${user}\n  condition: not selection\n`;
    return { kind, clientOrganizationID: client, ruleID, yaml };
  }
  if (kind === 'override') {
    const isSwitch = random(2) === 0;
    const criticality = isSwitch ? null : severityOf(1 + random(5));
    const ruleID = pick(random, [...single, ...counting]);
    return { kind, clientOrganizationID: client, ruleID, isOn: isSwitch ? false : null, criticality };
  }
  if (kind === 'text') {
    const ruleID = pick(random, single);
    const yaml = rule(ruleID, pick(random, ['low', 'high'])).replace(`action: ${ruleID}`, `action: ${pick(random, actions)}`);
    return { kind, clientOrganizationID: provider, ruleID, yaml };
  }
  const [timespan, count] = [pick(random, ['5m', '20m', '1h']), 2 + random(8)];
  const [ruleID, condition] = pick(random, [
    ['burst', `gte: ${count}`],
    ['spray', 'field: user.name\n  gte: 2'],
  ] as const);
  const type = ruleID === 'burst' ? 'event_count' : 'value_count';
  const body = `type: ${type}\nrules:\n  - failed\ngroup-by:\n  - source.ip\ntimespan: ${timespan}\ncondition:\n  ${condition}`;
  return { kind: 'text', clientOrganizationID: provider, ruleID, yaml: correlation(ruleID, body) };
}

const system = <T>(work: Parameters<typeof scoped<T>>[2]) => scoped(database.db, 'system', work);

/** Puts a change into force for a client, or for all by the provider. */
async function live(change: Change, client: number): Promise<void> {
  await system(async (tx) => {
    const { ruleID: key } = change as { ruleID: string };
    if (change.kind === 'exception') {
      const of = { organisation_id: client, kind: 'exception', rule_key: key, yaml: change.yaml, reason: '' } as const;
      await tx
        .insertInto('exceptions')
        .values({ ...of, owner_user_id: null, owner_name: '', ends_at: new Date('2100-01-01') })
        .execute();
    } else if (change.kind === 'override') {
      const criticality = change.criticality === null ? null : criticalityOf[change.criticality];
      const of = {
        organisation_id: client,
        rule_key: key,
        is_on: change.isOn,
        criticality,
        reason: '',
        owner_id: null,
        owner_name: '',
      };
      await tx.insertInto('rule_overrides').values(of).execute();
    } else {
      const of = { organisation_id: provider, rule_key: key, version: 1, state: 'live', yaml: change.yaml, base: null } as const;
      const more = {
        title: key,
        criticality: 2,
        note: '',
        author_id: null,
        author_name: '',
        shadow_since: null,
        stopped_at: null,
      };
      await tx
        .insertInto('rule_versions')
        .values({ ...of, revision: revisionOf(change.yaml), ...more })
        .execute();
    }
  });
  await detector.reload();
}

async function end(): Promise<void> {
  await system(async (tx) => {
    await tx.deleteFrom('rule_versions').execute();
    await tx.deleteFrom('rule_overrides').execute();
    await tx
      .updateTable('exceptions')
      .set({ ends_at: new Date(0) })
      .execute();
  });
  await detector.reload();
}

/** Lives a world in batches of one to ten events. */
async function lived(world: readonly Occurrence[], client: number, random: Random): Promise<LivedAlert[]> {
  for (let from = 0; from < world.length; ) {
    const count = 1 + random(10);
    const events = world.slice(from, from + count).map(({ at, action, device, user }, number) => {
      const document = { action, host: { name: `device${device}`, os: { type: 'linux' } } };
      const made = event({
        at,
        device: `device${device}`,
        user: `user${user}`,
        ip: `203.0.113.${device}`,
        document,
        organisationId: client,
        seed: `${client} ${from + number}`,
      });
      return { ...made, matches: [...detector.of(client).match(made.document)] };
    });
    await writeBatch(...events);
    from += count;
  }
  return (await alerts(client)).map(({ key, at, last_at, criticality, device_name, user_name, summary }) => ({
    ruleKey: key,
    at: at.getTime(),
    lastAt: last_at.getTime(),
    criticality,
    deviceName: device_name,
    userName: user_name,
    summary,
  }));
}

type LivedAlert = Pick<PastAlert, 'ruleKey' | 'at' | 'lastAt' | 'criticality' | 'deviceName' | 'userName' | 'summary'>;

const nameOf = ({ ruleKey, at, lastAt, deviceName, userName }: LivedAlert) =>
  `${ruleKey} ${deviceName} ${userName} ${at - noon} ${lastAt - noon}`;
const isSame = (a: LivedAlert, b: LivedAlert) =>
  a.ruleKey === b.ruleKey && a.deviceName === b.deviceName && a.userName === b.userName && a.at <= b.lastAt && b.at <= a.lastAt;

/** Alerts of the preview, as they are named. */
async function previewed(change: Change, client: number) {
  const trial = detector.tryOut((settings) =>
    withChange(settings, change.kind === 'text' ? change : { ...change, clientOrganizationID: client }),
  );
  const concerned = concernedBy(trial, [change.ruleID!]);
  expect(concerned.texts).toBeDefined();
  const judge = createPastJudge(trial, client, concerned, hourMs);
  const all = { start: Number.NEGATIVE_INFINITY, end: Number.POSITIVE_INFINITY, texts: concerned.texts };
  const scope = { organisationIds: [client] };
  await inOrganisation((tx) => eventStore.scan(tx, scope, all, (stored) => judge.add(stored)), client);
  const { gained, lost, changed } = judge.difference(Date.now());
  return { gained: gained.map(nameOf).sort(), lost: lost.map(nameOf).sort(), changed: changed.map(nameOf).sort() };
}

function livedDifference(without: readonly LivedAlert[], within: readonly LivedAlert[]) {
  const changed = without.flatMap((alert) => {
    const same = within.find((other) => isSame(alert, other));
    return same && same.criticality !== alert.criticality ? [same] : [];
  });
  return {
    gained: within
      .filter((alert) => !without.some((other) => isSame(alert, other)))
      .map(nameOf)
      .sort(),
    lost: without
      .filter((alert) => !within.some((other) => isSame(alert, other)))
      .map(nameOf)
      .sort(),
    changed: changed.map(nameOf).sort(),
  };
}

setUpEventWriter();

const seen = { gained: 0, lost: 0, changed: 0, counted: 0 };
test.each(Array.from({ length: changes / changesATest }, (_, part) => part * changesATest + 1))(
  'finds the alerts of a lived world for random changes from number %i',
  { timeout: 300_000 },
  async (first) => {
    await addProvider();
    for (let seed = first; seed < first + changesATest; seed++) {
      const random = seeded(seed);
      const world = worldOf(random);
      const [within, without] = [10_000 + seed, 20_000 + seed];
      await addClients(within, without);
      const change = changeOf(random, within);
      await live(change, within);
      const changedWorld = await lived(world, within, random);
      await end();
      const expected = livedDifference(await lived(world, without, random), changedWorld);
      const found = await previewed(change, without);
      expect({ seed, change, ...found }).toEqual({ seed, change, ...expected });
      for (const kind of ['gained', 'lost', 'changed'] as const) seen[kind] += expected[kind].length;
      seen.counted += Object.values(expected)
        .flat()
        .filter((name) => /^(?:burst|spray|taken) /.test(name)).length;
    }
  },
);

test('met gains, losses, changed severities and correlations in those worlds', () => {
  for (const [kind, count] of Object.entries(seen)) expect(count, kind).toBeGreaterThanOrEqual(changes / 20);
});

const addClients = (...ids: readonly number[]) =>
  system(async (tx) => {
    for (const id of ids)
      await tx
        .insertInto('organisations')
        .values({ id, name: `Client ${id}`, is_partner: false, parent_id: provider })
        .execute();
  });
const addProvider = () =>
  system((tx) =>
    tx
      .insertInto('organisations')
      .values({ id: provider, name: 'Provider', is_partner: true, parent_id: null })
      .onConflict((conflict) => conflict.doNothing())
      .execute(),
  );
