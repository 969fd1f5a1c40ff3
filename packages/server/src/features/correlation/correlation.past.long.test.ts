/** A preview against a world that was lived with its change from the beginning. */
import { dayMs, minuteMs } from '@parapet/contract/rules/duration.ts';
import { groupingParameters } from '@parapet/contract/rules/grouping.ts';
import { beforeAll, expect, test } from 'vitest';
import { useTestApp } from '../../../test/app.ts';
import { correlationFixture } from '../../../test/correlation.fixture.ts';
import { type SeedRule, seedRule } from '../../../test/seed.ts';
import { scoped } from '../../core/db/scope.ts';
import { silentLog } from '../../core/log.ts';
import { type CommonEntity, withLayer } from './correlation.grouping.ts';
import { differenceOf } from './correlation.past.difference.ts';
import { judgePast } from './correlation.past.ts';
import { builtInGrouping } from './correlation.rules.ts';
import { createCorrelationService } from './correlation.service.ts';

const t = useTestApp();
let correlation: ReturnType<typeof createCorrelationService>;
let { raised, casesOf, membersOf } = {} as ReturnType<typeof correlationFixture>;
let rules: SeedRule[];
const start = Math.floor(Date.now() / dayMs) * dayMs - 20 * dayMs;

beforeAll(async () => {
  ({ raised, casesOf, membersOf } = correlationFixture(t));
  correlation = createCorrelationService({ db: t.db, log: silentLog });
  const tactics = [
    'initial-access',
    'execution',
    'persistence',
    'credential-access',
    'lateral-movement',
    'exfiltration',
    'impact',
  ];
  rules = await Promise.all(
    tactics.map((tactic, index) => seedRule(t.db, { title: tactic, criticality: 2 + (index % 4) }, { tactics: [tactic] })),
  );
});

/** Mulberry32. */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * below);
  };
}

/** Batches of alerts over eight days. */
function worldOf(random: (below: number) => number) {
  const pick = <T>(list: readonly T[]) => list[random(list.length)]!;
  let at = start;
  return Array.from({ length: 34 }, () => {
    at += (10 + random(400)) * minuteMs;
    return Array.from({ length: 1 + random(4) }, () => ({
      at: at - random(90) * minuteMs,
      raisedAt: at,
      rule: pick(rules),
      device: random(8) === 0 ? null : `WS-${random(9)}`,
      user: random(4) === 0 ? null : pick(['ana', 'bo', 'cy', 'svc-backup']),
      document: {
        ...(random(3) === 0 ? { source: { ip: pick(['203.0.113.5', '203.0.113.9', '10.1.0.3', '10.1.0.4']) } } : {}),
        ...(random(3) === 0 ? { host: { ip: `10.1.0.${random(9)}` } } : {}),
        ...(random(3) === 0
          ? { process: { entity_id: `process-${random(12)}-abcdef`, hash: { sha256: `${random(5)}`.repeat(64) } } }
          : {}),
      },
    }));
  });
}

function changeOf(random: (below: number) => number) {
  const parameters: Record<string, number> = {};
  for (let count = 1 + random(8); count > 0; count--) {
    const { id, unit, min, max } = groupingParameters[random(groupingParameters.length)]!;
    parameters[id] =
      unit === 'minutes' ? min + random(Math.min(max, 3_000) - min) : min + random(Math.min(max, 12) - min + 1 || 1);
  }
  const named = random(3);
  const common: CommonEntity[] = [
    { kind: 'user', value: 'svc-backup', reason: '' },
    { kind: 'device', value: 'ws-1', reason: '' },
    { kind: 'address', value: '10.1.0.3', reason: '' },
  ].slice(0, named) as CommonEntity[];
  return { parameters, common };
}

async function live(client: number, batches: ReturnType<typeof worldOf>): Promise<{ ids: number[]; cases: number[][] }> {
  const ids: number[] = [];
  for (const batch of batches) {
    ids.push(...(await raised(client, batch)).map(({ id }) => id));
    await correlation.run(client);
  }
  return { ids, cases: await placesOf(client, ids) };
}

/** Cases as sorted lists of places of alerts in the world. */
async function placesOf(client: number, ids: readonly number[]): Promise<number[][]> {
  const place = new Map(ids.map((id, index) => [id, index]));
  const byCase = Map.groupBy(await membersOf(client), ({ case_id }) => case_id);
  expect(byCase.size).toBe((await casesOf(client)).length);
  return sorted([...byCase.values()].map((list) => list.map(({ alert_id }) => place.get(alert_id)!)));
}

const sorted = (cases: readonly number[][]): number[][] =>
  cases.map((each) => [...each].sort((a, b) => a - b)).sort((a, b) => a[0]! - b[0]!);

test.each([1, 2, 3, 4, 5, 6])(
  'equals a world that was lived with the change from the beginning (seed %i)',
  async (seed) => {
    const random = randomOf(seed);
    const world = worldOf(random);
    const change = changeOf(random);
    const [plain, changed] = [await t.organisation(), await t.organisation()];
    await scoped(t.db, 'system', (tx) =>
      tx
        .insertInto('grouping_versions')
        .values({
          organisation_id: changed,
          version: 1,
          state: 'live',
          parameters: JSON.stringify(change.parameters),
          common: JSON.stringify(change.common),
          note: '',
          author_id: null,
          author_name: '',
        })
        .execute(),
    );
    const [lived, livedChanged] = [await live(plain, world), await live(changed, world)];
    const sets = [builtInGrouping, withLayer([], plain, change, [plain])];
    const range = { start: new Date(start - dayMs), end: new Date() };
    const past = (await judgePast(t.db, plain, range, sets, 10_000, async () => true))!;
    const place = new Map(lived.ids.map((id, index) => [id, index]));
    const [before, after] = past.cases.map((cases) => sorted(cases.map(({ alertIds }) => alertIds.map((id) => place.get(id)!))));
    expect(before).toEqual(lived.cases);
    expect(after).toEqual(livedChanged.cases);
    const difference = differenceOf(past.cases[0]!, past.cases[1]!);
    expect([difference.before, difference.after]).toEqual([lived.cases.length, livedChanged.cases.length]);
    const inCase = (cases: readonly number[][]) => new Set(cases.flat());
    const [own, other] = [inCase(lived.cases), inCase(livedChanged.cases)];
    expect(difference.alertsOut.length).toBe([...own].filter((each) => !other.has(each)).length);
    expect(difference.alertsIn.length).toBe([...other].filter((each) => !own.has(each)).length);
  },
  120_000,
);
