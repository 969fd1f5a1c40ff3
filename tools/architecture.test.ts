/** Holds the house together: who may import whom, what every contract must bound, that every call is served. docs/tour.md says why. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { endpoints } from '@parapet/contract/api.ts';
import { endpoint } from '@parapet/contract/endpoint.ts';
import { createApp } from '@parapet/server/app.ts';
import { registerFeatures } from '@parapet/server/application.features.ts';
import { openBlobs } from '@parapet/server/core/blobs.ts';
import type { Bus } from '@parapet/server/core/bus.ts';
import { systemClock } from '@parapet/server/core/clock.ts';
import { readConfig } from '@parapet/server/core/config.ts';
import type { Database } from '@parapet/server/core/db/connect.ts';
import type { Keys } from '@parapet/server/core/keys/keys.ts';
import { silentLog } from '@parapet/server/core/log.ts';
import { createMetrics } from '@parapet/server/core/metrics.ts';
import type { Detector } from '@parapet/server/pipeline/detector.ts';
import { createDeviceRegister } from '@parapet/server/pipeline/devices.ts';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { faultsOf } from './contract-walk.ts';
import { type Import, importsOf, root, sourceFiles } from './imports.ts';

const isTest = (file: string) => /\.test\.tsx?$/.test(file) || file.includes('/test/');
const sources = sourceFiles('packages/*/src/**/*.{ts,tsx}').filter((file) => !isTest(file));
const allImports = sources.flatMap(importsOf);

/** What a file of the left may import; the first line that fits the file holds. Packages stand by their name. */
const rules: { from: RegExp; may: (RegExp | 'any')[]; mayType?: RegExp[] }[] = [
  { from: /^packages\/contract\//, may: [/^packages\/contract\//, /^zod$/] },
  { from: /^packages\/sigma\/src\/cli/, may: [/^packages\/sigma\//, /^yaml$/, /^re2js$/, /^node:/] },
  { from: /^packages\/sigma\//, may: [/^packages\/sigma\//, /^yaml$/, /^re2js$/] },
  { from: /^packages\/world\//, may: [/^packages\/(world|contract)\//] },
  { from: /^packages\/agent\//, may: [/^packages\/(agent|contract)\//, /^node:/] },
  {
    from: /^packages\/server\/src\/(main|house|house\.(casework|demo|jobs|reports)|app|greeting|openapi|ingest-key|enrolment-token|agent-task-key|create-host|rotate-keys|verify-audit|command)\.ts$/,
    may: ['any'],
  },
  {
    from: /^packages\/server\/src\/core\//,
    may: [/^packages\/server\/src\/core\//, /^packages\/contract\//, /^[^p]/, /^p(dfmake|g|ino|g-boss|rom-client)$/],
  },
  {
    from: /^packages\/server\/src\/pipeline\//,
    may: [/^packages\/server\/src\/(core|pipeline)\//, /^packages\/(sigma|contract)\//, /^[^p]/],
  },
  // The intake is the pipeline's door, the demo sends the world through it.
  {
    from: /^packages\/server\/src\/features\/ingest\//,
    may: [/^packages\/server\/src\/(core|pipeline|features\/ingest)\//, /^packages\/contract\//, /^[^p]/],
  },
  {
    from: /^packages\/server\/src\/features\/demo\//,
    may: [/^packages\/server\/src\/(core|features\/demo)\//, /^packages\/(world|contract)\//, /^[^p]/],
    mayType: [/^packages\/server\/src\/(pipeline\/event|features\/ingest\/ingest\.service)\.ts$/],
  },
  {
    from: /^packages\/server\/src\/features\/([a-z-]+)\//,
    may: [/^packages\/server\/src\/core\//, /^packages\/contract\//, /^[^p]/],
    mayType: [/\.service\.ts$/],
  },
  {
    from: /^packages\/web\/src\/kit\//,
    may: [/^packages\/web\/src\/kit\//, /^@mui\//, /^@emotion\//, /^react(-dom)?(\/|$)/, /^react-(easy-crop|hook-form)(\/|$)/],
  },
  // Parts that tie the kit to addresses and queries.
  {
    from: /^packages\/web\/src\/lib\/[A-Z]\w*\.tsx$/,
    may: [/^packages\/web\/src\/(kit|lib)\//, /^packages\/contract\//, /^react(\/|$)/, /^@tanstack\//, /^notistack$/, /^@mui\//],
  },
  {
    from: /^packages\/web\/src\/lib\//,
    may: [
      /^packages\/web\/src\/lib\//,
      // The one way in which the pages hand a file to the browser.
      /^packages\/web\/src\/kit\/saveFile\.ts$/,
      /^packages\/contract\//,
      /^react(\/|$)/,
      /^@tanstack\//,
      /^notistack$/,
      /^@mui\//,
      /^zod(\/|$)/,
      /^@simplewebauthn\/browser$/,
    ],
  },
  {
    from: /^packages\/web\/src\/features\//,
    may: [/^packages\/web\/src\/(kit|lib)\//, /^packages\/contract\//, /^(?!packages\/)/],
  },
  { from: /^packages\/web\/src\//, may: [/^packages\/(web|contract)\//, /^(?!packages\/)/] },
];

/** A page that shows another feature's part: each such crossing stands here, so that a new one is seen. */
const webCrossings = new Set<string>([
  'dashboard → alerts',
  'dashboard → cases',
  'devices → tags',
  // A device shows its alerts.
  'devices → alerts',
  // What collects is a device's; its tokens, keys and files are a client's.
  'agents → devices',
  // An isolated host is marked as in the list of alerts.
  'agents → alerts',
  'agents → collectors',
  'agents → organisations',
  // What is like the selected alerts is suppressed, for as long as the suppressions' own form lets one choose.
  'alerts → suppressions',
  // A case shows its alerts, and its list goes the ways of theirs.
  'cases → alerts',
  // A case says how far its responses are, and lets them be approved and confirmed.
  'cases → responses',
  // Kinds of device are named as in their list.
  'responses → devices',
  'vulnerabilities → devices',
  // A device shows its findings.
  'devices → vulnerabilities',
  // Acceptances end as suppressions do.
  'vulnerabilities → suppressions',
  // Whose reports they are is chosen as for client details.
  'reports → organisations',
  // Its mails say how far they are as the outbox does.
  'cases → outbox',
  // Every list has saved views.
  ...['alerts', 'devices', 'users', 'audit', 'cases', 'reviews', 'events', 'responses'].map((list) => `${list} → views`),
  // Whose collectors they are is chosen as for client details.
  'collectors → organisations',
  'responses → organisations',
  'sapphire → organisations',
  // A review shows a case's verdict as the cases do.
  'reviews → cases',
  // An authenticator app is set up as at the sign-in.
  'settings → auth',
  // The frame of pages for whoever has no session.
  ...['case-answer', 'mail-subscriptions'].map((page) => `${page} → auth`),
]);

const featureOf = (file: string) => /\/features\/([a-z-]+)\//.exec(file)?.[1];

function isAllowed({ file, target, isTypeOnly }: Import): boolean {
  const rule = rules.find(({ from }) => from.test(file));
  if (!rule) return false;
  const own = featureOf(file);
  if (own && featureOf(target) === own && target.startsWith(file.slice(0, file.indexOf('/features/')))) return true;
  if (file.startsWith('packages/web/') && own && target.startsWith('packages/web/src/features/'))
    return webCrossings.has(`${own} → ${featureOf(target)}`);
  if (rule.may.some((pattern) => pattern === 'any' || pattern.test(target))) return true;
  return isTypeOnly && (rule.mayType ?? []).some((pattern) => pattern.test(target));
}

describe('imports', () => {
  test('go the ways that the house allows', () => {
    expect(allImports.filter((entry) => !isAllowed(entry)).map(({ file, target }) => `${file} → ${target}`)).toEqual([]);
  });

  test('a wrong one is seen', () => {
    const wrong: Import[] = [
      { file: 'packages/contract/src/tags.ts', target: 'kysely', isTypeOnly: false },
      { file: 'packages/server/src/core/log.ts', target: 'packages/server/src/features/tags/tags.service.ts', isTypeOnly: false },
      {
        file: 'packages/server/src/features/tags/tags.service.ts',
        target: 'packages/server/src/features/auth/auth.service.ts',
        isTypeOnly: false,
      },
      { file: 'packages/web/src/kit/Stat.tsx', target: 'packages/contract/src/tags.ts', isTypeOnly: false },
      { file: 'packages/web/src/features/tags/x.tsx', target: 'packages/web/src/app/router.tsx', isTypeOnly: false },
      { file: 'packages/world/src/live.ts', target: 'packages/server/src/app.ts', isTypeOnly: true },
    ];
    expect(wrong.filter(isAllowed)).toEqual([]);
  });

  test('there are no barrels and no default exports', () => {
    const faults = sources.filter((file) => {
      const text = readFileSync(join(root, file), 'utf8');
      return /\/index\.tsx?$/.test(file) || /^export default /m.test(text);
    });
    expect(faults).toEqual([]);
  });

  test('only the configuration and the entry points read the environment', () => {
    const readers = sources.filter((file) => /process\.env/.test(readFileSync(join(root, file), 'utf8')));
    expect(
      readers.filter((file) => !/server\/src\/(main|command)\.ts$|core\/(config|db\/embedded\.binaries)\.ts$/.test(file)),
    ).toEqual([]);
  });

  test('raw markup is never rendered', () => {
    expect(
      sources.filter((file) =>
        /dangerouslySetInnerHTML|\.innerHTML\s*=|document\.write\(/.test(readFileSync(join(root, file), 'utf8')),
      ),
    ).toEqual([]);
  });
});

describe('the contract', () => {
  test('names each call once', () => {
    const ids = endpoints.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const paths = endpoints.map(({ method, prefix, path }) => `${method} ${prefix}${path.toLowerCase()}`);
    expect(new Set(paths).size).toBe(paths.length);
  });

  test('bounds every text and list that goes in or out, and says what every field is', () => {
    expect(endpoints.flatMap((entry) => faultsOf(entry))).toEqual([]);
  });

  test('an unbounded text, list or undescribed field is seen', () => {
    const bad = endpoint({
      id: 'bad.call',
      method: 'POST',
      path: '/bad',
      allow: 'anyone',
      freshness: 'none',
      summary: 'Bad.',
      body: z.object({
        text: z.string().describe('Unbounded.'),
        list: z.array(z.string().max(3)).describe('Unbounded.'),
        silent: z.number(),
      }),
      answer: z.object({}),
    });
    expect(faultsOf(bad)).toEqual([
      'bad.call body.text: a text without a limit',
      'bad.call body.list: a list without a limit',
      'bad.call body.silent: no description',
    ]);
  });
});

describe('the server', () => {
  /** Every table is empty, and every statement succeeds. */
  const emptyDatabase = {
    scopeKey: Buffer.alloc(32),
    pool: { connect: async () => ({ query: async () => ({ command: 'COMMIT', rows: [] }), release() {} }) },
  } as unknown as Database;
  const open = async () => {
    const platform = { url: '', db: emptyDatabase, blobs: openBlobs(undefined, '/nowhere'), clock: systemClock };
    const bus = { on: () => () => {} } as unknown as Bus;
    const keys = { shared: async () => Buffer.alloc(32) } as unknown as Keys;
    const config = readConfig({
      DATABASE_URL: 'postgres://unused',
      SECRET_KEY: 'of no installation'.repeat(2),
      PORTAL_DEMO: '0',
    });
    const detector = { isLoaded: () => true, longestWindowMs: 0 } as unknown as Detector;
    const devices = createDeviceRegister();
    const metrics = createMetrics();
    const { all } = await registerFeatures(
      { ...platform, bus, keys, config, metrics, isReplaying: () => false, log: silentLog, detector, devices, version: '' },
      [],
    );
    const { app } = await createApp({
      features: all,
      servesPeople: true,
      servesIntake: false,
      identify: async () => undefined,
      denied: async () => {},
      log: silentLog,
      trustProxy: false,
      webDir: '/nowhere',
      notReady: async () => [],
      metrics: { text: async () => '', token: undefined },
    });
    return app;
  };

  test('serves every call of the contract', async () => {
    const app = await open();
    const missing = endpoints.filter(({ method, prefix, path }) => !app.hasRoute({ method, url: prefix + path }));
    expect(missing.map(({ id }) => id)).toEqual([]);
    await app.close();
  });

  test('answers 401 to nobody on every call that is not open', async () => {
    const app = await open();
    for (const { id, method, prefix, path, allow } of endpoints) {
      if (allow === 'anyone') continue;
      const url =
        prefix +
        path
          .replace(/:(start|end)/g, '2026-01-01T00:00:00Z')
          .replace(/\/:token$/, `/${'x'.repeat(43)}`)
          .replace(/:[a-z]+/gi, '1');
      const { statusCode } = await app.inject({ method, url, ...(method !== 'GET' && { payload: {} }) });
      expect(`${id} ${statusCode}`).toBe(`${id} 401`);
    }
    await app.close();
  });

  test('refuses to start with a route that does not say who may', async () => {
    const app = await open();
    expect(() => app.get('/loose', async () => 'x')).toThrow(/operation/);
    await app.close();
  });
});

test('the pages call every call of the contract, save those whose screens are to come', () => {
  const web = sources
    .filter((file) => file.startsWith('packages/web/'))
    .map((file) => readFileSync(join(root, file), 'utf8'))
    .join('\n');
  const withoutScreen = [
    // Asked by the browser itself: images, and where the identity provider sends it.
    'brand.image',
    'users.picture',
    'auth.singleSignOnCallback',
    // With the mails of cases.
    'organisations.partner',
    // With the risk score.
    'cases.underInvestigation',
    // The pages have the same list from the contract.
    'cases.decisionResultTypes',
  ];
  const apiOf: Record<string, string> = { responseDesk: 'responseRequests' };
  const callOf = (id: string) => id.replace(/^(\w+)\./, (_whole, group: string) => `${apiOf[group] ?? group}Api\\.`);
  const uncalled = endpoints.filter(({ id }) => !new RegExp(`${callOf(id)}\\b`).test(web)).map(({ id }) => id);
  expect(uncalled.filter((id) => !withoutScreen.includes(id))).toEqual([]);
});
