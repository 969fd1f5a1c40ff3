/** Holds the architecture: import directions, bounds of every contract, and that every endpoint is served and called. docs/tour.md gives the reasons. */
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
import { isAllowed, isTestFile, unusedCrossings } from './architecture.rules.ts';
import { faultsOf } from './contract-walk.ts';
import { importsIn, importsOf, sourceFiles, textOf } from './imports.ts';

const allFiles = sourceFiles('packages/**/*.{ts,tsx}').filter((file) => !file.endsWith('.d.ts'));
const sources = allFiles.filter((file) => file.includes('/src/') && !isTestFile(file));
/** Folders beside the packages that import from them. */
const users = sourceFiles('{bench,detections,e2e}/**/*.{ts,tsx}');
const allImports = [...allFiles, ...users].flatMap(importsOf);

/** Names of features that are words of infrastructure too. */
const infrastructure = new Set(
  `account alarms archive attack audit auth balance brand bulk connections deliveries demo events imports ingest isolation operations organisations
  reports responses retention rules search setup silence users views`.split(/\s+/),
);

describe('imports', () => {
  test('follow the rules of their zone', () => {
    expect(allImports.filter((entry) => !isAllowed(entry)).map(({ file, target }) => `${file} → ${target}`)).toEqual([]);
  });

  test('need every crossing that is declared', () => {
    expect(unusedCrossings(allImports)).toEqual([]);
  });

  test.each([
    ['packages/contract/src/tags.ts', "import { sql } from 'kysely';"],
    ['packages/server/src/core/log.ts', "import { x } from './../features/tags/tags.service.ts';"],
    ['packages/server/src/core/log.ts', "import type { x } from '../domain/audit.ts';"],
    ['packages/server/src/core/log.ts', "import { x } from 'left-pad';"],
    ['packages/server/src/application.features.ts', "import { x } from './features/auth/auth.store.ts';"],
    ['packages/server/src/features/tags/tags.service.ts', "import { x } from '../auth/auth.service.ts';"],
    ['packages/server/src/features/tags/tags.service.ts', "import type { x } from '../auth/auth.store.ts';"],
    ['packages/server/src/features/tags/tags.service.ts', "export type { x } from '../auth/auth.service.ts';"],
    ['packages/server/src/features/tags/tags.test.ts', "import { x } from '../auth/auth.store.ts';"],
    ['packages/server/src/features/tags/tags.test.ts', "import { x } from '@parapet/web/app/router.tsx';"],
    ['packages/web/src/kit/Stat.tsx', "import { tagsApi } from '@parapet/contract/tags.ts';"],
    ['packages/web/src/features/tags/x.tsx', "import { router } from '../../app/router.tsx';"],
    ['e2e/cases.e2e.ts', "import { x } from '@parapet/server/features/cases/cases.store.ts';"],
    ['bench/pages.bench.ts', "import { x } from '@parapet/web/lib/call.ts';"],
    ['packages/world/src/live.ts', "import type { x } from '@parapet/server/app.ts';"],
  ])('rejects in %s: %s', (file, text) => {
    expect(importsIn(file, text).map(isAllowed)).toEqual([false]);
  });

  test('name no feature in core, not even in a text', () => {
    const words = (text: string) =>
      text
        .replace(/([a-z])(?=[A-Z])/g, '$1 ')
        .replace(/[-_]/g, ' ')
        .toLowerCase();
    const features = new Set(sources.flatMap((file) => /server\/src\/features\/([a-z-]+)\//.exec(file)?.[1] ?? []));
    const names = [...features].filter((name) => !infrastructure.has(name)).map(words);
    expect(names).toEqual(expect.arrayContaining(['agents', 'cases', 'mail subscriptions', 'tags']));
    // The schemas of the database and of calls, and names that sealed values of older versions carry.
    const isOther = /core\/(db\/tables\.|keys\/upgrade\.ts$)/;
    const core = sources.filter((file) => file.startsWith('packages/server/src/core/') && !isOther.test(file));
    const code = (file: string) => textOf(file).replace(/^import .*|\/\*[\s\S]*?\*\/|\/\/ .*/gm, '');
    const named = new RegExp(`\\b(?:${names.join('|')})\\b`, 'g');
    expect(
      core.flatMap(
        (file) =>
          words(code(file))
            .match(named)
            ?.map((name) => `${file}: ${name}`) ?? [],
      ),
    ).toEqual([]);
  });

  test('let components call directly only where no session holds their queries', () => {
    const callers = sources.filter((file) => file.endsWith('.tsx') && /\bcall\(/.test(textOf(file)));
    const isOpen =
      /^packages\/web\/src\/features\/(auth\/|connections\/(ConnectPage|parts\/ConsentStep)|mail-subscriptions\/UnsubscribePage)/;
    // A search that a key press cancels, and one flow of three calls.
    const others = ['app/shell/PageSearch.tsx', 'features/setup/parts/TestAttack.tsx'].map((file) => `packages/web/src/${file}`);
    expect(callers.filter((file) => !isOpen.test(file)).sort()).toEqual(others);
  });

  test('contain no barrels and no default exports', () => {
    const faults = sources.filter((file) => {
      const text = textOf(file);
      return /\/index\.tsx?$/.test(file) || /^export default /m.test(text);
    });
    expect(faults).toEqual([]);
  });

  test('read the environment only in the configuration and the entry points', () => {
    const readers = sources.filter((file) => /process\.env/.test(textOf(file)));
    expect(
      readers.filter((file) => !/server\/src\/(main|command|doctor)\.ts$|core\/(config|db\/embedded\.binaries)\.ts$/.test(file)),
    ).toEqual([]);
  });

  test('read the time from a clock that is passed in', () => {
    const isOther = (file: string) =>
      // Pages show times of the viewer’s own clock; simulated vendors have clocks of their own, as real ones.
      /^packages\/(web|world)\//.test(file) || file === 'packages/contract/src/rules/clock.ts';
    const readers = sources.filter((file) => !isOther(file) && /Date\.now\(\)|new Date\(\)/.test(textOf(file)));
    expect(readers).toEqual([]);
  });

  test('name the lengths of units of time once', () => {
    const again = /const (?:second|minute|hour|day|week)(?:Ms)? = [\d_ *]*(?:000|Ms);/;
    const faults = sources.filter((file) => file !== 'packages/contract/src/rules/duration.ts' && again.test(textOf(file)));
    expect(faults).toEqual([]);
  });

  test('render no raw markup', () => {
    expect(sources.filter((file) => /dangerouslySetInnerHTML|\.innerHTML\s*=|document\.write\(/.test(textOf(file)))).toEqual([]);
  });
});

describe('the contract', () => {
  test('names each call once', () => {
    const ids = endpoints.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const paths = endpoints.map(({ method, prefix, path }) => `${method} ${prefix}${path.toLowerCase()}`);
    expect(new Set(paths).size).toBe(paths.length);
  });

  test('bounds and describes every field of requests and responses', () => {
    expect(endpoints.flatMap((entry) => faultsOf(entry))).toEqual([]);
  });

  test('reports unbounded texts and lists and undescribed fields', () => {
    const bad = endpoint({
      id: 'bad.call',
      route: 'POST /bad',
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
      {
        ...platform,
        bus,
        keys,
        config,
        metrics,
        isReplaying: () => false,
        log: silentLog,
        detector,
        devices,
        version: async () => '',
        openStage: () => async () => {
          throw new Error('No stage is opened here.');
        },
      },
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

  test('returns 401 to anonymous callers of protected endpoints', async () => {
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

  test('refuses routes without an operation', async () => {
    const app = await open();
    expect(() => app.get('/loose', async () => 'x')).toThrow(/operation/);
    await app.close();
  });
});

test('the web calls every endpoint of the contract that has a screen', () => {
  const web = sources
    .filter((file) => file.startsWith('packages/web/'))
    .map((file) => textOf(file))
    .join('\n');
  const withoutScreen = [
    // Requested by the browser: images, and redirects of identity providers.
    'brand.image',
    'brand.manifest',
    'users.picture',
    'auth.singleSignOnCallback',
    'connectionInvites.consentCallback',
    // With the emails of cases.
    'organisations.partner',
    // With the risk score.
    'cases.underInvestigation',
    // For API keys: the page lists suppressions with exceptions.
    'suppressions.list',
    // The pages have the same list from the contract.
    'cases.decisionResultTypes',
  ];
  const apiOf: Record<string, string> = { looks: 'clientAccessLog', responseDesk: 'responseRequests' };
  const callOf = (id: string) => id.replace(/^(\w+)\./, (_whole, group: string) => `${apiOf[group] ?? group}Api\\.`);
  const uncalled = endpoints.filter(({ id }) => !new RegExp(`${callOf(id)}\\b`).test(web)).map(({ id }) => id);
  expect(uncalled.filter((id) => !withoutScreen.includes(id))).toEqual([]);
});
