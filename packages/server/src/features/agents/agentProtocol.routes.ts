/**
 * Routes below /agent: the agent protocol (contract/agentProtocol.ts) and the files a host needs before it has an agent.
 * Users’ tokens do not open them, and agents’ keys open only these and the intake.
 */
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import compress from '@fastify/compress';
import { checkIn, enrolment, maxCollectedBytes, taskResult } from '@parapet/contract/agentProtocol.ts';
import { id as idShape } from '@parapet/contract/primitives.ts';
import { problem } from '@parapet/contract/problem.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { parsePart } from '../../core/http/serve.ts';
import type { AgentProtocolService } from './agentProtocol.service.ts';
import type { KnownAgent } from './agentProtocol.store.ts';
import type { AgentTasksService } from './agentTasks.service.ts';
import type { ReleasesService } from './releases.service.ts';
import type { TaskKeys } from './taskKeys.ts';

/** Fits an inventory of twenty thousand packages. */
const maxCheckInBytes = 8 * 1024 * 1024;
/** Concurrent uploads of collected files and downloads of runtimes: they are large. */
const maxFilesAtOnce = 2;
const maxRuntimesAtOnce = 8;
const wrongKeyPauseMs = 500;
/**
 * A check-in without an inventory; larger ones, and those that decompress to more, are read only after their key is
 * verified.
 */
const maxUnknownBytes = 64 * 1024;

const config = { operation: 'open' };
const taskParams = z.object({ id: idShape });
const taskQuery = z.object({
  after: z.coerce.number().int().min(0).max(2_147_483_647).default(0),
  wait: z.coerce.number().int().min(0).max(50).default(0),
  nonce: z.string().max(64).default(''),
});
const packageParams = z.object({ version: z.string().max(40), platform: z.string().max(40) });

export interface AgentProtocolRoutesDeps {
  wire: AgentProtocolService;
  tasks: AgentTasksService;
  releases: ReleasesService;
  taskKeys: TaskKeys;
  /** Files of the agent itself, read on demand. */
  bundle: { agent: string; install: string };
}

const isLarge = ({ headers }: FastifyRequest): boolean =>
  Number(headers['content-length'] ?? 0) > maxUnknownBytes ||
  headers['transfer-encoding'] !== undefined ||
  headers['content-encoding'] !== undefined;

const keyOf = (request: FastifyRequest): string | undefined =>
  /^Bearer (pa_[\w-]{43})$/.exec(request.headers.authorization ?? '')?.[1];

/** Error of an invalid key, after a pause. */
async function refused() {
  await pause(wrongKeyPauseMs);
  return problem.signInNeeded(
    'This agent’s key is missing, unknown or revoked. Enrol it again with a token from Agents in the portal.',
  );
}

/** Returns a function that holds a place until the response is closed, and throws unavailable while all are taken. */
function createPlaces(max: number, busyText: string, retryAfterSeconds: number) {
  let taken = 0;
  return (reply: FastifyReply): void => {
    if (taken >= max) throw problem.unavailable(busyText, retryAfterSeconds);
    // Gone while it was identified: nothing would give its place back.
    if (reply.raw.destroyed) return;
    taken++;
    reply.raw.once('close', () => taken--);
  };
}

export async function agentProtocolRoutes(app: FastifyInstance, deps: AgentProtocolRoutesDeps): Promise<void> {
  await app.register(
    async (scope) => {
      await scope.register(compress, { global: false, globalDecompression: true });
      scope.addHook('onRequest', async (_request, reply) => {
        reply.header('cache-control', 'no-store');
      });
      enrolmentRoutes(scope, deps.wire);
      await scope.register(async (owned) => enrolledRoutes(owned, deps));
      hostRoutes(scope, deps.bundle);
      scope.setNotFoundHandler(async (request) => {
        throw problem.notFound('call', `${request.method} ${request.url.split('?', 1)[0]?.slice(0, 200)}`);
      });
    },
    { prefix: '/agent' },
  );
}

function enrolmentRoutes(scope: FastifyInstance, wire: AgentProtocolService): void {
  scope.post('/enrol', { config, bodyLimit: 16 * 1024 }, async (request) => {
    const started = performance.now();
    try {
      return await wire.enrol(parsePart(enrolment, request.body), request.ip);
    } catch (error) {
      // Every failure takes the same time.
      await pause(Math.max(0, wrongKeyPauseMs - (performance.now() - started)));
      throw error;
    }
  });

  // The statement that stores a check-in also resolves its agent. The key’s format is checked before the body is read,
  // and the key itself before a large body.
  scope.post(
    '/check-in',
    {
      config,
      bodyLimit: maxCheckInBytes,
      onRequest: async (request) => {
        const key = keyOf(request);
        if (!key || (isLarge(request) && !(await wire.agentOf(key)))) throw await refused();
      },
    },
    async (request, reply) => {
      // Keeping thousands of idle connections for a minute would cost more memory than everything else that agents need.
      reply.header('connection', 'close');
      const answer = await wire.checkIn(keyOf(request) as string, parsePart(checkIn, request.body), request.ip);
      if (!answer) throw await refused();
      return answer;
    },
  );
}

/** Routes of enrolled agents, whose key is verified before the body is read. */
function enrolledRoutes(owned: FastifyInstance, { wire, tasks, releases, taskKeys }: AgentProtocolRoutesDeps): void {
  const known = new WeakMap<FastifyRequest, { key: string; agent: KnownAgent }>();
  owned.addHook('onRequest', async (request) => {
    const key = keyOf(request);
    const agent = await wire.agentOf(key);
    if (!key || !agent) throw await refused();
    known.set(request, { key, agent });
  });
  const who = (request: FastifyRequest) => known.get(request) as { key: string; agent: KnownAgent };

  owned.get('/tasks', { config }, async (request, reply) => {
    const { after, wait, nonce } = parsePart(taskQuery, request.query);
    const { key, agent } = who(request);
    const found = await tasks.next(key, agent, after, wait * 1000, (end) => reply.raw.once('close', end));
    if (!found) throw await refused();
    return taskKeys.signedResponse(agent.id, nonce, found);
  });

  owned.post('/tasks/:id/result', { config, bodyLimit: 64 * 1024 }, async (request) => {
    const { id } = parsePart(taskParams, request.params);
    await tasks.result(who(request).agent, id, parsePart(taskResult, request.body));
    return {};
  });

  const takePlace = createPlaces(maxFilesAtOnce, 'Other uploads are in progress. Send it again in a moment.', 2);
  owned.put(
    '/tasks/:id/file',
    { config, bodyLimit: maxCollectedBytes, onRequest: async (_request, reply) => takePlace(reply) },
    async (request) => {
      const { id } = parsePart(taskParams, request.params);
      if (!Buffer.isBuffer(request.body))
        throw problem.invalid({}, 'Send the file itself as the body, as application/octet-stream.');
      await tasks.file(who(request).agent, id, request.body);
      return {};
    },
  );

  owned.get('/packages/:version/:platform', { config }, async (request, reply) => {
    const { version, platform } = parsePart(packageParams, request.params);
    return reply.type('application/octet-stream').send(await releases.bytesOf(version, platform));
  });
}

/** Files for a host without an agent: the agent, its installer and, for a host without Node, this process’s own runtime. */
function hostRoutes(scope: FastifyInstance, bundle: AgentProtocolRoutesDeps['bundle']): void {
  const give = (path: string, type: string) => async (_request: FastifyRequest, reply: FastifyReply) => {
    const text = await readFile(path).catch(() => undefined);
    if (!text) throw problem.unavailable('The agent is not built here. Run "npm start", or "node tools/build-agent.ts".');
    return reply.type(type).send(text);
  };
  scope.get('/agent.mjs', { config }, give(bundle.agent, 'text/javascript; charset=utf-8'));
  scope.get('/install.sh', { config }, give(bundle.install, 'text/x-shellscript; charset=utf-8'));

  const takePlace = createPlaces(maxRuntimesAtOnce, 'Other hosts are loading it. Ask again in a moment.', 10);
  scope.get('/runtime/:platform', { config }, async (request, reply) => {
    const { platform } = parsePart(packageParams.pick({ platform: true }), request.params);
    if (platform !== `${process.platform}-${process.arch}`) throw problem.notFound('runtime for', platform);
    takePlace(reply);
    const { size } = await stat(process.execPath);
    return reply.type('application/octet-stream').header('content-length', size).send(createReadStream(process.execPath));
  });
}
