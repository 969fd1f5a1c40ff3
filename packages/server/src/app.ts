/** Fastify with what every call goes through, then one line per feature's routes. */
import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import rateLimit from '@fastify/rate-limit';
import fastifyStatic from '@fastify/static';
import { problem } from '@parapet/contract/problem.ts';
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import { readBodies } from './core/http/body.ts';
import { type BudgetDeps, createBudgets } from './core/http/budgets.ts';
import { type CspReportDeps, cspReportRoute } from './core/http/cspReports.ts';
import { pageWithNonce, securityHeaders } from './core/http/headers.ts';
import { answerBadAddress, answerBrokenRequest, answerProblems } from './core/http/problems.ts';
import { refuseOddRequests } from './core/http/refusals.ts';
import type { Denied, Identify, Serving } from './core/http/serve.ts';
import { continueWhenRead } from './core/http/unread.ts';
import type { Log } from './core/log.ts';
import { metricsType } from './core/metricsServer.ts';
import { accountRoutes } from './features/account/account.routes.ts';
import type { AccountService } from './features/account/account.service.ts';
import { type AgentProtocolRoutesDeps, agentProtocolRoutes } from './features/agents/agentProtocol.routes.ts';
import { agentsRoutes } from './features/agents/agents.routes.ts';
import type { AgentsService } from './features/agents/agents.service.ts';
import type { ReleasesService } from './features/agents/releases.service.ts';
import { alertsRoutes } from './features/alerts/alerts.routes.ts';
import type { AlertsService } from './features/alerts/alerts.service.ts';
import { attackRoutes } from './features/attack/attack.routes.ts';
import type { AttackService } from './features/attack/attack.service.ts';
import { auditRoutes } from './features/audit/audit.routes.ts';
import type { AuditService } from './features/audit/audit.service.ts';
import { authRoutes, type WaysIn } from './features/auth/auth.routes.ts';
import { ownFactorRoutes } from './features/auth/ownFactor.routes.ts';
import type { OwnFactorService } from './features/auth/ownFactor.service.ts';
import { balanceRoutes } from './features/balance/balance.routes.ts';
import type { BalanceService } from './features/balance/balance.service.ts';
import { brandRoutes } from './features/brand/brand.routes.ts';
import type { BrandService } from './features/brand/brand.service.ts';
import { domainsRoutes } from './features/brand/domains.routes.ts';
import type { DomainsService } from './features/brand/domains.service.ts';
import { bulkRoutes } from './features/bulk/bulk.routes.ts';
import type { BulkService } from './features/bulk/bulk.service.ts';
import { caseMailsRoutes } from './features/case-mails/caseMails.routes.ts';
import type { CaseMailsService } from './features/case-mails/caseMails.service.ts';
import { casesRoutes } from './features/cases/cases.routes.ts';
import type { CasesService } from './features/cases/cases.service.ts';
import { collectorsRoutes } from './features/collectors/collectors.routes.ts';
import type { CollectorsService } from './features/collectors/collectors.service.ts';
import { dashboardRoutes } from './features/dashboard/dashboard.routes.ts';
import type { DashboardService } from './features/dashboard/dashboard.service.ts';
import { devicesRoutes } from './features/devices/devices.routes.ts';
import type { DevicesService } from './features/devices/devices.service.ts';
import { eventsRoutes } from './features/events/events.routes.ts';
import type { EventsService } from './features/events/events.service.ts';
import { type IngestRoutesDeps, ingestRoutes } from './features/ingest/ingest.routes.ts';
import { ingestKeysRoutes } from './features/ingest-keys/ingest-keys.routes.ts';
import type { IngestKeysService } from './features/ingest-keys/ingest-keys.service.ts';
import { intelligenceRoutes } from './features/intelligence/intelligence.routes.ts';
import type { IntelligenceService } from './features/intelligence/intelligence.service.ts';
import { mailSubscriptionsRoutes } from './features/mail-subscriptions/mail-subscriptions.routes.ts';
import type { MailSubscriptionsService } from './features/mail-subscriptions/mail-subscriptions.service.ts';
import { organisationsRoutes } from './features/organisations/organisations.routes.ts';
import type { OrganisationsService } from './features/organisations/organisations.service.ts';
import { outboxRoutes } from './features/outbox/outbox.routes.ts';
import type { OutboxService } from './features/outbox/outbox.service.ts';
import { type Reporting, reportsRoutes } from './features/reports/reports.routes.ts';
import type { ResponseRequestsService } from './features/responses/responseRequests.service.ts';
import { responseRequestsRoutes, responsesRoutes } from './features/responses/responses.routes.ts';
import type { ResponsesService } from './features/responses/responses.service.ts';
import { reviewsRoutes } from './features/reviews/reviews.routes.ts';
import type { ReviewsService } from './features/reviews/reviews.service.ts';
import { riskRoutes } from './features/risk/risk.routes.ts';
import type { RiskService } from './features/risk/risk.service.ts';
import { sapphireRoutes } from './features/sapphire/sapphire.routes.ts';
import type { SapphireService } from './features/sapphire/sapphire.service.ts';
import { searchRoutes } from './features/search/search.routes.ts';
import type { SearchService } from './features/search/search.service.ts';
import { suppressionsRoutes } from './features/suppressions/suppressions.routes.ts';
import type { SuppressionsService } from './features/suppressions/suppressions.service.ts';
import { tagsRoutes } from './features/tags/tags.routes.ts';
import type { TagsService } from './features/tags/tags.service.ts';
import type { Pictures } from './features/users/users.pictures.ts';
import { usersRoutes } from './features/users/users.routes.ts';
import type { UsersService } from './features/users/users.service.ts';
import { viewsRoutes } from './features/views/views.routes.ts';
import type { ViewsService } from './features/views/views.service.ts';
import { vulnerabilitiesRoutes } from './features/vulnerabilities/vulnerabilities.routes.ts';
import type { VulnerabilitiesService } from './features/vulnerabilities/vulnerabilities.service.ts';
import { openApiDocument } from './openapi.ts';

export interface Services {
  waysIn: WaysIn;
  brand: BrandService;
  domains: DomainsService;
  organisations: OrganisationsService;
  outbox: OutboxService;
  users: UsersService;
  pictures: Pictures;
  audit: AuditService;
  dashboard: DashboardService;
  attack: AttackService;
  risk: RiskService;
  vulnerabilities: VulnerabilitiesService;
  balance: BalanceService;
  reporting: Reporting;
  devices: DevicesService;
  agents: AgentsService;
  releases: ReleasesService;
  tags: TagsService;
  alerts: AlertsService;
  cases: CasesService;
  bulk: BulkService;
  responses: ResponsesService;
  responseRequests: ResponseRequestsService;
  caseMails: CaseMailsService;
  reviews: ReviewsService;
  subscriptions: MailSubscriptionsService;
  suppressions: SuppressionsService;
  intelligence: IntelligenceService;
  events: EventsService;
  ingestKeys: IngestKeysService;
  collectors: CollectorsService;
  account: AccountService;
  ownFactor: OwnFactorService;
  views: ViewsService;
  search: SearchService;
  sapphire: SapphireService;
}

export interface AppDeps {
  /** Undefined where this process serves no people (ingest or worker only). */
  services: Services | undefined;
  /** Undefined where this process takes nothing in. */
  ingest: IngestRoutesDeps | undefined;
  /** With the intake: agents speak where events are taken in. */
  agents?: AgentProtocolRoutesDeps | undefined;
  identify: Identify;
  denied: Denied;
  /** Undefined: nothing is counted. */
  budgets?: BudgetDeps;
  /** On, only a Host is let in; sign-in stays open. */
  isUnderMaintenance?: boolean;
  log: Log;
  trustProxy: boolean;
  webDir: string;
  /** Empty when ready; else what is still missing. */
  notReady: () => Promise<string[]>;
  metrics: { text: () => Promise<string>; token: string | undefined };
  cspReports?: Omit<CspReportDeps, 'log'>;
}

/** How long batches under way are waited for when the process ends. */
const drainMs = 3_000;

/** A route as it was registered: an endpoint's id or 'open', and GET /path. */
export interface RegisteredRoute {
  operation: string;
  route: string;
}

export async function createApp(parts: AppDeps): Promise<{ app: FastifyInstance; routes: readonly RegisteredRoute[] }> {
  const headers = await securityHeaders();
  const app = Fastify({
    logger: false,
    frameworkErrors: answerBadAddress(headers),
    clientErrorHandler: answerBrokenRequest(headers),
    genReqId: () => randomUUID(),
    routerOptions: { caseSensitive: false, ignoreTrailingSlash: true, maxParamLength: 500 },
    // The nearest hop only: what stands further left in X-Forwarded-For, anybody can write.
    trustProxy: parts.trustProxy && ((_address, hop) => hop === 0),
    bodyLimit: 1024 * 1024,
    requestTimeout: 120_000,
    // Node's own refusal would lack our headers; refuseOddRequests says the same.
    http: { requireHostHeader: false },
    forceCloseConnections: true,
    // It would be JSON, after which shippers throw away what they sent; the intake refuses by itself while we stop.
    return503OnClosing: false,
  });
  // Authorisation hangs on the route's own configuration: a route without one is refused when it is registered.
  const routes: RegisteredRoute[] = [];
  app.addHook('onRoute', (route) => {
    const operation = route.config?.operation;
    if (!operation) throw new Error(`route ${route.method} ${route.url} was registered without an operation`);
    for (const method of [route.method].flat())
      if (method !== 'HEAD') routes.push({ operation, route: `${method} ${route.url}` });
  });
  answerProblems(app, parts.log);
  readBodies(app);
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(headers);
    // Nobody takes this body.
    if (request.is404 && request.method !== 'GET' && request.method !== 'HEAD') done(unknownCall(request));
    else done();
  });
  continueWhenRead(app.server, app.routing);
  await app.register(rateLimit, { global: false });
  refuseOddRequests(app, headers);

  operationRoutes(app, parts);
  if (parts.services) {
    const { services } = parts;
    const { identify, denied, isUnderMaintenance = false } = parts;
    const budgets = parts.budgets && createBudgets(app, parts.budgets);
    const serving: Serving = { app, identify, denied, budgets, isUnderMaintenance };
    authRoutes(serving, services.waysIn);
    brandRoutes(serving, services.brand);
    domainsRoutes(serving, services.domains);
    organisationsRoutes(serving, services.organisations);
    outboxRoutes(serving, services.outbox);
    usersRoutes(serving, services.users, services.pictures);
    auditRoutes(serving, services.audit);
    dashboardRoutes(serving, services.dashboard);
    attackRoutes(serving, services.attack);
    riskRoutes(serving, services.risk);
    await vulnerabilitiesRoutes(serving, services.vulnerabilities);
    balanceRoutes(serving, services.balance);
    reportsRoutes(serving, services.reporting);
    devicesRoutes(serving, services.devices);
    agentsRoutes(serving, services.agents, services.releases);
    tagsRoutes(serving, services.tags);
    alertsRoutes(serving, services.alerts);
    casesRoutes(serving, services.cases);
    bulkRoutes(serving, services.bulk);
    responsesRoutes(serving, services.responses);
    responseRequestsRoutes(serving, services.responseRequests);
    caseMailsRoutes(serving, services.caseMails);
    reviewsRoutes(serving, services.reviews);
    await mailSubscriptionsRoutes(serving, services.subscriptions);
    suppressionsRoutes(serving, services.suppressions);
    intelligenceRoutes(serving, services.intelligence);
    eventsRoutes(serving, services.events);
    ingestKeysRoutes(serving, services.ingestKeys);
    collectorsRoutes(serving, services.collectors);
    accountRoutes(serving, services.account);
    ownFactorRoutes(serving, services.ownFactor, services.waysIn.secondFactor);
    viewsRoutes(serving, services.views);
    searchRoutes(serving, services.search);
    sapphireRoutes(serving, services.sapphire);
    await webRoutes(app, parts.webDir, headers);
    if (parts.cspReports) await cspReportRoute(app, { ...parts.cspReports, log: parts.log });
  } else {
    app.setNotFoundHandler(async (request) => {
      throw problem.notFound('page at', request.url.slice(0, 200));
    });
  }
  if (parts.agents) {
    const { agents } = parts;
    await agentProtocolRoutes(app, agents);
    // Agents wait in open requests: they are let go, and ask whoever answers then.
    app.addHook('preClose', async () => agents.tasks.close());
  }
  if (parts.ingest) {
    const { admission } = parts.ingest;
    let isStopping = false;
    await ingestRoutes(app, { ...parts.ingest, isStopping: () => isStopping });
    // A batch under way is stored and answered before its connection goes.
    app.addHook('preClose', async () => {
      isStopping = true;
      for (const until = Date.now() + drainMs; admission.bytesInFlight() > 0 && Date.now() < until; ) await pause(20);
    });
  }
  return { app, routes };
}

function operationRoutes(app: FastifyInstance, { notReady, metrics }: AppDeps): void {
  const config = { operation: 'open' };
  app.get('/healthz', { config }, async () => ({ status: 'alive' }));
  app.get('/readyz', { config }, async (_request, reply) => {
    const missing = await notReady();
    reply.code(missing.length === 0 ? 200 : 503).header('cache-control', 'no-store');
    if (missing.length > 0) reply.header('retry-after', '5');
    return { status: missing.length === 0 ? 'ready' : 'starting', missing };
  });
  app.get('/metrics', { config }, async (request, reply) => {
    // Never by the address: a proxy on this machine connects from loopback for anybody.
    const hasToken = metrics.token !== undefined && isSame(request.headers.authorization ?? '', `Bearer ${metrics.token}`);
    if (!hasToken)
      throw problem.forbidden('Metrics are for the bearer of METRICS_TOKEN, or on a port of their own (METRICS_PORT).');
    return reply.type(metricsType).send(await metrics.text());
  });
  let document: string | undefined;
  app.get('/api/v1/openapi.json', { config }, async (_request, reply) => {
    document ??= JSON.stringify(openApiDocument());
    return reply.type('application/json; charset=utf-8').send(document);
  });
}

/** In a time that tells nothing of how much was right. */
function isSame(given: string, wanted: string): boolean {
  const [a, b] = [given, wanted].map((text) => createHash('sha256').update(text).digest()) as [Buffer, Buffer];
  return timingSafeEqual(a, b);
}

const unknownCall = ({ method, url }: FastifyRequest) =>
  problem.notFound('call', `${method} ${(url.split('?', 1)[0] ?? '').slice(0, 200)}`);

/** The built web pages: files under their hashed names for ever, every page address as index.html. */
async function webRoutes(app: FastifyInstance, webDir: string, headers: Record<string, string>): Promise<void> {
  const file = join(webDir, 'index.html');
  const page = existsSync(file) ? pageWithNonce(await readFile(file, 'utf8'), headers) : undefined;
  const config = { operation: 'open' };
  if (page) {
    // Its own routes carry no operation; it only lends sendFile to ours.
    await app.register(fastifyStatic, { root: webDir, serve: false, preCompressed: true });
    app.get('/assets/*', { config }, async (request, reply) => {
      const name = (request.params as { '*': string })['*'];
      // The build puts every file into this one folder.
      if (!/^[\w-][\w.-]*$/.test(name)) throw problem.notFound('file', name.slice(0, 200));
      return reply.sendFile(`assets/${name}`, { immutable: true, maxAge: '365d' });
    });
    for (const entry of await readdir(webDir, { withFileTypes: true })) {
      if (!entry.isFile() || entry.name === 'index.html' || /^\.|\.(br|gz)$/.test(entry.name)) continue;
      app.get(`/${entry.name}`, { config }, async (_request, reply) => reply.sendFile(entry.name, { maxAge: '1d' }));
    }
  }
  app.setNotFoundHandler(async (request, reply) => {
    const path = request.url.split('?', 1)[0] ?? '';
    const isPage =
      (request.method === 'GET' || request.method === 'HEAD') &&
      !/^\/+(api|ingest|agent|assets)(\/|$)/i.test(decodeURIComponent(path));
    if (!isPage) throw unknownCall(request);
    if (!page) throw problem.unavailable('The web pages are not built. Run "npm start", or build packages/web.');
    const { html, headers: own } = page();
    return reply.type('text/html; charset=utf-8').headers(own).send(html);
  });
}
