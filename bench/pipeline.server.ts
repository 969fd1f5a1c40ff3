/**
 * Server for pipeline.bench.ts: ingestion without its store, beside Fastify that only parses. `/cpu` returns the µs since the
 * last call.
 */

import { systemClock } from '@parapet/server/core/clock.ts';
import { silentLog } from '@parapet/server/core/log.ts';
import { createAdmission } from '@parapet/server/features/ingest/admission.ts';
import { ingestRoutes } from '@parapet/server/features/ingest/ingest.routes.ts';
import { createIngestService } from '@parapet/server/features/ingest/ingest.service.ts';
import type { Document } from '@parapet/server/pipeline/event.ts';
import { createFieldRegister, fieldsOfSource } from '@parapet/server/pipeline/field-register.ts';
import type { OrganisationRules } from '@parapet/server/pipeline/rule-view.ts';
import { compileRules } from '@parapet/sigma/matcher.ts';
import { loadRules } from '@parapet/sigma/rules.ts';
import Fastify from 'fastify';
import { cpuRoute } from './cpu.ts';
import { ruleFiles } from './detect.rules.ts';
import { listen } from './listen.ts';

const { rules, faults } = loadRules(ruleFiles(2_000));
if (faults.length > 0) throw new Error(JSON.stringify(faults[0]));
const matcher = compileRules(rules);
const app = Fastify({ bodyLimit: 20 * 1024 * 1024 });
app.removeAllContentTypeParsers();
app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));

const fieldsRead = fieldsOfSource({ rules: new Map(rules.map((rule) => [rule.id, rule])), correlations: new Map() });
let isSampling = true;
app.post('/sampling/:state', async (request) => {
  isSampling = (request.params as { state: string }).state === 'on';
  return {};
});

const ingest = createIngestService({
  eventWriter: {
    async writeBatch({ organisationId, events }) {
      // A new register for each batch: no field of it counts as seen yet.
      if (isSampling) createFieldRegister(fieldsRead).note(organisationId, events);
      return { stored: new Set(events.map((event) => event.id)), refused: new Set(), alertIds: [] };
    },
  },
  detector: {
    of: () =>
      ({
        match: (document: Document) => matcher.match(document),
        matchShadow: () => [],
      }) as Partial<OrganisationRules> as OrganisationRules,
  },
  clock: systemClock,
  eventRetentionMs: 30 * 86_400_000,
  counted: () => {},
});
await ingestRoutes(app, {
  ingest,
  organisationOf: async () => 1,
  configFor: async () => undefined,
  admission: createAdmission(2 ** 30),
  counted: () => {},
  log: silentLog,
});

app.post('/limit', async (request) => {
  let parsed = 0;
  const body = request.body as Buffer;
  for (let from = 0; from < body.length; ) {
    let to = body.indexOf(10, from);
    if (to === -1) to = body.length;
    if (to > from && JSON.parse(body.toString('utf8', from, to))) parsed++;
    from = to + 1;
  }
  return { parsed };
});
cpuRoute(app);
process.once('SIGTERM', () => process.exit(0));
console.log(JSON.stringify(await listen(app)));
