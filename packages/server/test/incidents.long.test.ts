/**
 * Random work on a case and at Microsoft, with responses that are lost, limited, refused or ignored: in the end both sides have the same state, or show the
 * difference, and no comment is there twice. `SEQUENCES` sets how many.
 */
import type { CaseStatus, StatedResolution } from '@parapet/contract/rules/cases.ts';
import { isClosed } from '@parapet/contract/rules/cases.ts';
import { startDefenderXdr, type XdrVendor } from '@parapet/world/vendors/defenderxdr.ts';
import type { Disturbance } from '@parapet/world/vendors/vendor.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type IncidentWork, incidentWork } from './incidents.fixture.ts';

/** Each takes two days of the test's clock, which has partitions for 40. */
const sequences = Number(process.env.SEQUENCES ?? 12);
const steps = 14;
const wanted: readonly CaseStatus[] = ['investigating', 'escalated', 'closed', 'escalated:closed'];
const resolutions: readonly StatedResolution[] = ['truePositive', 'benign', 'falsePositive'];
const spoilt: readonly Disturbance[] = [
  { kind: 'reset' },
  { kind: 'outage' },
  { kind: 'throttle', seconds: 30 },
  { kind: 'broken' },
  { kind: 'status', status: 500 },
];

let xdr: XdrVendor;
let t: IncidentWork;
beforeAll(async () => {
  xdr = await startDefenderXdr();
  t = await incidentWork(xdr);
});
afterAll(async () => {
  await t.close();
  await xdr.close();
});

/** Numbers from 0 to below `limit`, the same for each seed. */
function randomOf(seed: number): (limit: number) => number {
  let state = seed * 2_654_435_761 + 1;
  return (limit) => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 0x9e3779b9) >>> 0;
    return (state >>> 8) % limit;
  };
}

async function sequence(seed: number): Promise<'same' | 'differs'> {
  const random = randomOf(seed);
  const mode = seed % 3 === 0 ? 'send' : 'both';
  const { organisationId, connection, incident, id } = await t.start(mode);
  const log: number[] = [];
  const spoil = (): void => {
    const clean = Array.from({ length: random(6) }, (): Disturbance => ({ kind: 'none' }));
    xdr.disturb(...clean, spoilt[random(spoilt.length)]!);
  };
  const operations: (() => unknown)[] = [
    () => t.setStatus(id, wanted[random(wanted.length)]!, resolutions[random(resolutions.length)]),
    () => xdr.people.set(incident, { status: ['active', 'inProgress', 'resolved'][random(3)] }),
    () => xdr.people.ignoreWrites(random(2) === 0),
    () => xdr.people.allowWrites(random(3) > 0),
    () => xdr.expireTokens(),
    () => t.sync(organisationId),
    () => {
      spoil();
      return t.sync(organisationId);
    },
    () => t.sync(organisationId),
  ];
  for (let step = 0; step < steps; step++) {
    log.push(random(operations.length));
    await operations[log.at(-1)!]!();
  }
  xdr.people.ignoreWrites(false);
  xdr.people.allowWrites(true);
  // Disturbances that were not used up are spent first.
  await t.settled(organisationId);

  const about = `seed ${seed}, ${mode}, steps ${log.join(' ')}`;
  const row = await t.incidentRow(connection);
  expect(row, about).toMatchObject({ is_sending: false, comment: null, error: null });
  const texts = t.textsAt(incident);
  expect(new Set(texts).size, about).toBe(texts.length);
  const isSame = isClosed((await t.caseOf(id)).status as CaseStatus) === (xdr.people.incident(incident)!.status === 'resolved');
  if (isSame) return 'same';
  expect(row.conflict, about).toMatch(/The case stays as before|stays "/);
  return 'differs';
}

test(
  'ends random sequences in the same state on both sides, or with a visible difference',
  async () => {
    const ends = { same: 0, differs: 0 };
    for (let seed = 1; seed <= sequences; seed++) ends[await sequence(seed)]++;
    expect(ends.same + ends.differs).toBe(sequences);
    expect(ends.same).toBeGreaterThan(sequences / 2);
  },
  60_000 + sequences * 20_000,
);
