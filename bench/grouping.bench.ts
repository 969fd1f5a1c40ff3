/**
 * Cost of grouping sets in live correlation: alerts taken off the queue with the built-in set alone, with live sets of provider, partner and client, and
 * with one more in shadow. The same alerts for a client of each lane, in turns; batches of one alert and of 500.
 */

import { scoped } from '@parapet/server/core/db/scope.ts';
import { silentLog } from '@parapet/server/core/log.ts';
import { createCorrelationService } from '@parapet/server/features/correlation/correlation.service.ts';
import { sql } from 'kysely';
import pg from 'pg';
import { correlationFixture } from '../packages/server/test/correlation.fixture.ts';
import { seedRule } from '../packages/server/test/seed.ts';
import { median } from './figures.ts';
import type { Options, Result } from './run.ts';
import { temporaryDatabase } from './temporary-database.ts';

const lanes = ['built-in', 'live', 'shadow'] as const;
type Lane = (typeof lanes)[number];
const provider = 1;
const partner = 6000;
const clientOf = (lane: Lane) => 6001 + lanes.indexOf(lane);
const sizes = [1, 500] as const;

/** As many differences as a busy set may have; none changes a decision about these alerts. */
const parameters = JSON.stringify(
  Object.fromEntries(
    ['process-tree', 'hash', 'address', 'user', 'device', 'user-near', 'device-near', 'sequence', 'rules', 'aim'].map((rule) => [
      `${rule}.windowMinutes`,
      1_000,
    ]),
  ),
);
const common = JSON.stringify(
  Array.from({ length: 50 }, (_, index) => ({ kind: 'user', value: `svc-${index}`, reason: 'Shared by jobs' })),
);

/** Organisations of the lanes with their sets. */
async function prepare(owner: pg.Client): Promise<void> {
  await owner.query(`select make_partitions((now() - interval '31 days')::date, now()::date)`);
  await owner.query(
    `insert into organisations (id, name, is_partner, parent_id) values (${provider}, 'Provider', true, null) on conflict do nothing`,
  );
  await owner.query(
    `insert into organisations (id, name, is_partner, parent_id) values (${partner}, 'Partner', true, ${provider})`,
  );
  for (const lane of lanes)
    await owner.query(`insert into organisations (id, name, is_partner, parent_id) values ($1, $2, false, ${partner})`, [
      clientOf(lane),
      lane,
    ]);
  const insert = (organisation: number, state: string) =>
    owner.query(
      `insert into grouping_versions (organisation_id, version, state, parameters, common, note, author_name)
       values ($1, $2, $3, $4, $5, '', 'bench')`,
      [organisation, state === 'shadow' ? 2 : 1, state === 'shadow' ? 'shadow' : 'draft', parameters, common],
    );
  for (const organisation of [provider, partner, clientOf('live'), clientOf('shadow')]) await insert(organisation, 'live');
  await insert(clientOf('shadow'), 'shadow');
}

export async function run({ small }: Options): Promise<Result[]> {
  const rounds = small ? 5 : 15;
  const { db, ownerUrl, session, close } = await temporaryDatabase();
  const owner = new pg.Client({ connectionString: ownerUrl });
  await owner.connect();
  try {
    await session(5000);
    await prepare(owner);
    const { raised } = correlationFixture({ db });
    const correlation = createCorrelationService({ db, log: silentLog });
    const rules = [
      await seedRule(db, { title: 'Odd program', criticality: 3 }, { tactics: ['execution'] }),
      await seedRule(db, { title: 'New service', criticality: 2 }, { tactics: ['persistence'] }),
      await seedRule(db, { title: 'Dumped memory', criticality: 4 }, { tactics: ['credential-access'] }),
    ];
    let at = Date.now() - 4 * 86_400_000;
    const perAlert = async (lane: Lane, size: number): Promise<number> => {
      const client = clientOf(lane);
      const batches = size === 1 ? 20 : 1;
      let spent = 0;
      await scoped(db, 'system', (tx) =>
        sql`update grouping_versions set state = ${lane === 'built-in' ? 'draft' : 'live'} where version = 1`.execute(tx),
      );
      for (let batch = 0; batch < batches; batch++) {
        await raised(
          client,
          Array.from({ length: size }, (_, index) => ({
            at: at + batch * 60_000 + index * 1_000,
            rule: rules[(index + batch) % rules.length]!,
            device: `WS-${(index * 7 + batch) % 40}`,
            user: `user${index % 25}`,
          })),
        );
        const began = performance.now();
        await correlation.run(client);
        spent += performance.now() - began;
      }
      return (1_000 * spent) / (batches * size);
    };
    const results: Result[] = [];
    for (const size of sizes) {
      const times = new Map<Lane, number[]>(lanes.map((lane) => [lane, []]));
      for (let round = 0; round <= rounds; round++) {
        // Each lane is first as often as the others.
        const order = lanes.map((_, index) => lanes[(index + round) % lanes.length]!);
        for (const lane of order) {
          const spent = await perAlert(lane, size);
          if (round > 0) times.get(lane)!.push(spent);
        }
        at += 3_600_000;
      }
      const base = times.get('built-in')!;
      for (const lane of ['live', 'shadow'] as const) {
        const own = times.get(lane)!;
        results.push({
          name: `grouping.${lane}-${size}`,
          unit: 'µs an alert',
          value: median(own),
          limit: median(base),
          ratio: median(own.map((value, round) => value / base[round]!)),
        });
      }
    }
    return results;
  } finally {
    await owner.end();
    await close();
  }
}
