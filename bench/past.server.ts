/** Server for past.bench.ts: the worker of previews, and a scan with all rules, over the database of the benchmark. */
import { systemClock } from '@parapet/server/core/clock.ts';
import { connect } from '@parapet/server/core/db/connect.ts';
import { readScoped, scoped } from '@parapet/server/core/db/scope.ts';
import { silentLog } from '@parapet/server/core/log.ts';
import { eventStore } from '@parapet/server/domain/events/eventStore.ts';
import { dayMs } from '@parapet/server/domain/ranges.ts';
import { insertPreview } from '@parapet/server/features/rules/previews.store.ts';
import { runPreviews } from '@parapet/server/features/rules/previews.worker.ts';
import { createDetector, readBuiltIn } from '@parapet/server/pipeline/detector.ts';
import Fastify from 'fastify';
import { cpuRoute } from './cpu.ts';
import { rulesDir } from './events.ts';
import { listen } from './listen.ts';

const { organisationId, userId, url } = JSON.parse(process.env.BENCH_PAST!) as {
  organisationId: number;
  userId: number;
  url: string;
};
const db = connect({ url, applicationName: 'bench past', poolSize: 4, statementTimeoutMs: 0 });
const detector = await createDetector({ db, builtIn: await readBuiltIn(rulesDir) });
detector.prepare();
const scope = { organisationIds: [organisationId] };
const range = () => ({ start: Date.now() - 31 * dayMs, end: Date.now() });

/** Switches off the rule by its number; number and state of the preview’s result. */
async function preview(number: number): Promise<string> {
  const rule = [...detector.current().rules.values()].filter(({ standalone }) => standalone)[number]!;
  const change = {
    kind: 'override',
    clientOrganizationID: organisationId,
    ruleID: rule.id,
    isOn: false,
    criticality: null,
  } as const;
  const { start, end } = range();
  const of = { organisationId, userId, change, clientIds: [organisationId], firstAt: new Date(start), lastAt: new Date(end) };
  const id = await scoped(db, scope, (tx) => insertPreview(tx, of));
  await runPreviews({ db, clock: systemClock, detector, groupingWindowMs: 3_600_000, log: silentLog });
  return scoped(db, scope, async (tx) => {
    const row = await tx.selectFrom('rule_previews').select(['state', 'scanned']).where('id', '=', id).executeTakeFirstOrThrow();
    return row.state === 'done' ? String(row.scanned) : '0';
  });
}

const app = Fastify();
app.post<{ Querystring: { rule: number } }>('/preview', ({ query }) => preview(query.rule));
app.post('/all', async () => {
  const rules = detector.tryOut((settings) => settings).rulesBefore(organisationId);
  let [events, matches] = [0, 0];
  await readScoped(
    db,
    scope,
    (tx) =>
      eventStore.scan(tx, scope, range(), ({ document }) => {
        events++;
        matches += rules.match(document).length;
        return false;
      }),
    { isolation: 'repeatable read' },
  );
  return String(matches > 0 ? events : 0);
});
cpuRoute(app);
process.once('SIGTERM', () => process.exit(0));
console.log(JSON.stringify({ address: await listen(app) }));
