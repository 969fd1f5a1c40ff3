/** Server for past.bench.ts: the worker of previews, and a scan with all rules, over the database of the benchmark. */
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { systemClock } from '@parapet/server/core/clock.ts';
import { connect } from '@parapet/server/core/db/connect.ts';
import { readScoped, scoped } from '@parapet/server/core/db/scope.ts';
import { silentLog } from '@parapet/server/core/log.ts';
import { listBlocks } from '@parapet/server/domain/events/blockRows.ts';
import { eventStore, type StoredEvent } from '@parapet/server/domain/events/eventStore.ts';
import { type OpenBlock, openBlocks } from '@parapet/server/domain/events/openBlocks.ts';
import { insertPreview } from '@parapet/server/features/rules/previews.store.ts';
import { runPreviews } from '@parapet/server/features/rules/previews.worker.ts';
import { createDetector, readBuiltIn } from '@parapet/server/pipeline/detector.ts';
import { concernedBy } from '@parapet/server/pipeline/past.ts';
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
/** Opens each stored block for `work`; number of events. */
const eachBlock = (work: (open: OpenBlock) => Promise<void>) =>
  readScoped(
    db,
    scope,
    async (tx) => {
      let events = 0;
      for (const row of await listBlocks(tx, scope, range())) {
        const [open] = await openBlocks(tx, scope, [row]);
        await work(open!);
        events += row.count;
      }
      return String(events);
    },
    { isolation: 'repeatable read' },
  );

app.post('/decode', () =>
  eachBlock(async ({ block }) => {
    await block.documents();
  }),
);
let texts: string[] = [];
app.post('/texts', () => {
  texts = [];
  return eachBlock(async ({ block, count }) => {
    const documents = await block.documents();
    for (let event = 0; event < count; event += 5) texts.push(documents.text(event));
  });
});
app.post('/parse', async () => {
  for (const text of texts) JSON.parse(text);
  return String(texts.length);
});
/** Passes the document of each event; returns their number. */
async function readAll(take: (document: StoredEvent['document']) => void): Promise<number> {
  let events = 0;
  await readScoped(
    db,
    scope,
    (tx) =>
      eventStore.scan(tx, scope, range(), (event) => {
        events++;
        take(event.view ?? event.document);
        return false;
      }),
    { isolation: 'repeatable read' },
  );
  return events;
}
/** Reads every event for the rule by its number, as without its texts. */
app.post<{ Querystring: { rule: number } }>('/read', async ({ query }) => {
  const rule = [...detector.current().rules.values()].filter(({ standalone }) => standalone)[query.rule]!;
  const { match } = concernedBy(
    detector.tryOut((settings) => settings),
    [rule.id],
  );
  return String(await readAll(match));
});
app.post('/all', async () => {
  const rules = detector.tryOut((settings) => settings).rulesBefore(organisationId);
  let matches = 0;
  const events = await readAll((document) => {
    matches += rules.match(document).length;
  });
  return String(matches > 0 ? events : 0);
});
cpuRoute(app);
process.once('SIGTERM', () => process.exit(0));
console.log(JSON.stringify({ address: await listen(app) }));
