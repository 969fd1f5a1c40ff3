/** Fastify with the hooks that every call passes, and the routes of the registered features. */
import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import rateLimit from '@fastify/rate-limit';
import fastifyStatic from '@fastify/static';
import { importsApi } from '@parapet/contract/imports.ts';
import { problem } from '@parapet/contract/problem.ts';
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import type { Feature } from './core/feature.ts';
import { type AccessLogDeps, logAccess } from './core/http/accessLog.ts';
import { readBodies } from './core/http/body.ts';
import { type BudgetDeps, createBudgets } from './core/http/budgets.ts';
import { type CspReportDeps, cspReportRoute } from './core/http/cspReports.ts';
import { drainBeforeClose } from './core/http/draining.ts';
import { pageWithNonce, securityHeaders } from './core/http/headers.ts';
import { answerBadAddress, answerBrokenRequest, answerProblems } from './core/http/problems.ts';
import { headersTimeoutMs, limitReceiving, longestRequestMs } from './core/http/receiving.ts';
import { refuseOddRequests } from './core/http/refusals.ts';
import { traceRequests } from './core/http/requestSpans.ts';
import type { Denied, Identify, RecordAccess, Serving } from './core/http/serve.ts';
import { continueWhenRead } from './core/http/unread.ts';
import type { Log } from './core/log.ts';
import { metricsType } from './core/metricsServer.ts';
import { openApiDocument } from './openapi.ts';

export interface AppDeps {
  features: readonly Feature[];
  /** Role `api`. */
  servesPeople: boolean;
  /** Role `ingest`: shippers and agents. */
  servesIntake: boolean;
  identify: Identify;
  denied: Denied;
  /** Undefined: accesses are not recorded. */
  recordAccess?: RecordAccess;
  /** Undefined: calls are not limited. */
  budgets?: BudgetDeps;
  /** True: only a Host may call; sign-in stays open. */
  isUnderMaintenance?: boolean;
  log: Log;
  trustProxy: boolean;
  webDir: string;
  /** Empty when ready; otherwise the missing parts. */
  notReady: () => Promise<string[]>;
  metrics: { text: () => Promise<string>; token: string | undefined };
  /** Undefined: requests are neither logged nor counted. */
  access?: Omit<AccessLogDeps, 'log'>;
  cspReports?: Omit<CspReportDeps, 'log'>;
}

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
    // The nearest hop only: clients can forge everything further left in X-Forwarded-For.
    trustProxy: parts.trustProxy && ((_address, hop) => hop === 0),
    bodyLimit: 1024 * 1024,
    // limitReceiving ends all but streamed uploads much earlier.
    requestTimeout: longestRequestMs,
    // refuseOddRequests checks the header; Node’s own refusal would lack our headers.
    http: { requireHostHeader: false, headersTimeout: headersTimeoutMs },
    forceCloseConnections: true,
    // Shippers discard their data after Fastify’s JSON 503; the intake refuses in its own format while the process stops.
    return503OnClosing: false,
  });
  // Permissions belong to the route’s configuration: registering a route without one throws.
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
    // No route reads this body.
    if (request.is404 && request.method !== 'GET' && request.method !== 'HEAD') done(unknownCall(request));
    else done();
  });
  traceRequests(app);
  if (parts.access) logAccess(app, { log: parts.log, ...parts.access });
  continueWhenRead(app.server, app.routing);
  limitReceiving(app, [importsApi.upload.id]);
  await app.register(rateLimit, { global: false });
  refuseOddRequests(app, headers);
  const drain = drainBeforeClose(app, /^\/+(api|agent)\//i);

  operationRoutes(app, parts);
  if (parts.servesPeople) {
    const { identify, denied, recordAccess, isUnderMaintenance = false } = parts;
    const budgets = parts.budgets && createBudgets(app, parts.budgets);
    const serving: Serving = { app, identify, denied, recordAccess, budgets, isUnderMaintenance };
    for (const feature of parts.features) await feature.routes?.(serving);
    await webRoutes(app, parts.webDir, headers);
    if (parts.cspReports) await cspReportRoute(app, { ...parts.cspReports, log: parts.log });
  } else {
    app.setNotFoundHandler(async (request) => {
      throw problem.notFound('page at', request.url.slice(0, 200));
    });
  }
  if (parts.servesIntake) for (const feature of parts.features) await feature.intakeRoutes?.(app);
  // After those of the features.
  app.addHook('preClose', drain);
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
    // The address proves nothing: a proxy on this machine connects from loopback.
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

/** Constant-time comparison. */
function isSame(given: string, wanted: string): boolean {
  const [a, b] = [given, wanted].map((text) => createHash('sha256').update(text).digest()) as [Buffer, Buffer];
  return timingSafeEqual(a, b);
}

const unknownCall = ({ method, url }: FastifyRequest) =>
  problem.notFound('call', `${method} ${(url.split('?', 1)[0] ?? '').slice(0, 200)}`);

/** Files of each page, by the first segment of its address (packages/web/pageFiles.ts). */
const pagesFile = 'pages.json';
async function filesOfPages(webDir: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const file = join(webDir, pagesFile);
  return new Map(existsSync(file) ? Object.entries<string[]>(JSON.parse(await readFile(file, 'utf8'))) : []);
}

/** Serves the built web pages: assets under hashed names with an immutable cache, every page address as index.html. */
async function webRoutes(app: FastifyInstance, webDir: string, headers: Record<string, string>): Promise<void> {
  const file = join(webDir, 'index.html');
  const page = existsSync(file) ? pageWithNonce(await readFile(file, 'utf8'), headers, await filesOfPages(webDir)) : undefined;
  const config = { operation: 'open' };
  if (page) {
    // The plugin’s own routes carry no operation; it only provides sendFile.
    // Open pages load parts of the build that they came from, also after a later one (tools/web-builds.ts).
    const root = [webDir, join(webDir, 'former')];
    await app.register(fastifyStatic, { root, serve: false, preCompressed: true });
    app.get('/assets/*', { config }, async (request, reply) => {
      const name = (request.params as { '*': string })['*'];
      // The build writes every asset into one folder.
      if (!/^[\w-][\w.-]*$/.test(name)) throw problem.notFound('file', name.slice(0, 200));
      return reply.sendFile(`assets/${name}`, { immutable: true, maxAge: '365d' });
    });
    for (const entry of await readdir(webDir, { withFileTypes: true })) {
      if (!entry.isFile() || ['index.html', pagesFile].includes(entry.name) || /^\.|\.(br|gz)$/.test(entry.name)) continue;
      app.get(`/${entry.name}`, { config }, async (_request, reply) => reply.sendFile(entry.name, { maxAge: '1d' }));
    }
  }
  app.setNotFoundHandler(async (request, reply) => {
    const path = request.url.split('?', 1)[0] ?? '';
    const isPage =
      (request.method === 'GET' || request.method === 'HEAD') &&
      !/^\/+(api|ingest|services|v1|agent|assets)(\/|$)/i.test(decodeURIComponent(path));
    if (!isPage) throw unknownCall(request);
    if (!page) throw problem.unavailable('The web pages are not built. Run "npm start", or build packages/web.');
    const { html, headers: own } = page(path);
    return reply.type('text/html; charset=utf-8').headers(own).send(html);
  });
}
