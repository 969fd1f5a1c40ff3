import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import helmet from '@fastify/helmet';
import autocannon from 'autocannon';
import Fastify from 'fastify';
import { z } from 'zod';

const row = { id: 1, name: 'a thing with a name', createdAt: '2026-01-01T00:00:00.000Z', isNew: true, text: 'x'.repeat(300) };
const answer = z.object({
  id: z.number(),
  name: z.string().max(100),
  createdAt: z.string().max(40),
  isNew: z.boolean(),
  text: z.string().max(1000),
});
const csp = {
  useDefaults: false,
  directives: {
    'default-src': ["'self'"],
    'script-src': ["'self'"],
    'style-src': ["'self'", "'unsafe-inline'"],
    'img-src': ["'self'", 'data:', 'blob:'],
    'font-src': ["'self'"],
    'connect-src': ["'self'"],
    'object-src': ["'none'"],
    'base-uri': ["'none'"],
    'form-action': ["'self'"],
    'frame-ancestors': ["'none'"],
    'require-trusted-types-for': ["'script'"],
    'trusted-types': ["'none'"],
  },
};
const opts = {
  contentSecurityPolicy: csp,
  crossOriginEmbedderPolicy: false,
  hsts: { maxAge: 31536000, includeSubDomains: false },
  referrerPolicy: { policy: 'same-origin' as const },
};
const headers: Record<string, string> = {
  'content-security-policy':
    "default-src 'self';script-src 'self';style-src 'self' 'unsafe-inline';img-src 'self' data: blob:;font-src 'self';connect-src 'self';object-src 'none';base-uri 'none';form-action 'self';frame-ancestors 'none';require-trusted-types-for 'script';trusted-types 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'referrer-policy': 'same-origin',
  'strict-transport-security': 'max-age=31536000',
  'x-content-type-options': 'nosniff',
  'x-dns-prefetch-control': 'off',
  'x-download-options': 'noopen',
  'x-frame-options': 'SAMEORIGIN',
  'x-permitted-cross-domain-policies': 'none',
  'x-xss-protection': '0',
};
const entries = Object.entries(headers);
const parse = (s: z.ZodType, v: unknown) => {
  const p = s.safeParse(v);
  if (p.success) return p.data;
  throw new Error();
};
const none = z.object({});
async function main() {
  const servers: Record<string, string> = {};
  const make = async (name: string, o: any, f: (app: any) => Promise<void> | void, handler: any) => {
    const app = Fastify(o);
    await f(app);
    app.get('/x', handler);
    await app.listen({ port: 0, host: '127.0.0.1' });
    servers[name] = `http://127.0.0.1:${(app.server.address() as any).port}`;
  };
  const big = {
    logger: false,
    genReqId: () => randomUUID(),
    routerOptions: { caseSensitive: false, ignoreTrailingSlash: true, maxParamLength: 500 },
    requestTimeout: 120000,
    forceCloseConnections: true,
  };
  await make(
    'bare',
    {},
    () => {},
    async () => row,
  );
  await make(
    'options',
    big,
    () => {},
    async () => row,
  );
  await make(
    'helmet',
    big,
    async (app) => {
      await app.register(helmet, opts);
    },
    async () => row,
  );
  await make(
    'raw.setHeader',
    big,
    (app) => {
      app.addHook('onRequest', (q: any, r: any, done: any) => {
        for (const [k, v] of entries) r.raw.setHeader(k, v);
        done();
      });
    },
    async () => row,
  );
  await make(
    'reply.headers',
    big,
    (app) => {
      app.addHook('onRequest', (q: any, r: any, done: any) => {
        r.headers(headers);
        done();
      });
    },
    async () => row,
  );
  await make(
    '5 headers',
    big,
    (app) => {
      app.addHook('onRequest', (q: any, r: any, done: any) => {
        for (const [k, v] of entries.slice(0, 5)) r.header(k, v);
        done();
      });
    },
    async () => row,
  );
  await make(
    'zod',
    {},
    () => {},
    async (q: any, r: any) => {
      parse(none, q.params);
      parse(none, q.query);
      r.type('application/json; charset=utf-8');
      return JSON.stringify(answer.parse(row));
    },
  );
  await make(
    'all',
    big,
    async (app) => {
      await app.register(helmet, opts);
    },
    async (q: any, r: any) => {
      parse(none, q.params);
      parse(none, q.query);
      r.type('application/json; charset=utf-8');
      return JSON.stringify(answer.parse(row));
    },
  );
  const c = Fastify();
  let b = process.cpuUsage();
  c.get('/cpu', async () => {
    const { user, system } = process.cpuUsage(b);
    b = process.cpuUsage();
    return String(user + system);
  });
  await c.listen({ port: 0, host: '127.0.0.1' });
  servers.cpu = `http://127.0.0.1:${(c.server.address() as any).port}`;
  process.send!(servers);
}
if (process.argv[2] === 'child') await main();
else {
  const child = fork(import.meta.filename, ['child']);
  const [servers] = (await once(child, 'message')) as any;
  const { cpu, ...rest } = servers;
  const res: Record<string, number[]> = {};
  for (let i = 0; i < 4; i++)
    for (const [n, u] of Object.entries<string>(rest)) {
      await fetch(cpu + '/cpu');
      await autocannon({ url: u + '/x', connections: 16, amount: 8000 });
      const t = Number(await (await fetch(cpu + '/cpu')).text()) / 8000;
      if (i > 0) (res[n] ??= []).push(t);
    }
  for (const [n, v] of Object.entries(res))
    console.log(
      n.padEnd(16),
      v
        .sort((a, b) => a - b)
        .map((x) => x.toFixed(1))
        .join(' '),
      'µs',
    );
  child.kill();
}
