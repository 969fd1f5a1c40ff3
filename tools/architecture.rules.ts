/** Import rules: for each zone of the repository, the paths and the npm packages that its files may import. */
import type { Import } from './imports.ts';

interface Zone {
  /** The first zone whose pattern matches a file holds for it. */
  from: RegExp;
  paths: RegExp[];
  /** Imported with `import type` only. */
  typePaths?: RegExp[];
  packages: string[];
}

const server = (folders: string) => new RegExp(`^packages/server/src/(${folders})/`);
const contract = /^packages\/contract\//;
const node = 'node:';

/** Declarations of a feature for others; of its services only the types. */
const ports = /^packages\/server\/src\/features\/.*\.ports\.ts$/;
const services = /^packages\/server\/src\/features\/.*\.service\.ts$/;

/** Official exporter of logs, against which the intake is tested. */
const openTelemetry = ['exporter-logs-otlp-http', 'exporter-logs-otlp-proto', 'resources', 'sdk-logs'].map(
  (name) => `@opentelemetry/${name}`,
);
/** Official clients and validators, against which features are tested. */
const judges = [...openTelemetry, '@modelcontextprotocol/client', 'ajv'];
const featurePackages = [
  node,
  '@fastify/compress',
  '@modelcontextprotocol/server',
  '@renovatebot/pep440',
  '@simplewebauthn/server',
  'ae-cvss-calculator',
  'chrono-node',
  'diff',
  'fastify',
  'fflate',
  'jose',
  'kysely',
  'minisearch',
  'nodemailer',
  'oidc-provider',
  'openid-client',
  'otpauth',
  'qrcode',
  'semver',
  'tldts',
  'write-excel-file',
  'yaml',
  'zod',
];

const webPackages = [
  '@codemirror/commands',
  '@codemirror/lang-json',
  '@codemirror/lang-yaml',
  '@codemirror/language',
  '@codemirror/lint',
  '@codemirror/search',
  '@codemirror/state',
  '@codemirror/view',
  '@lezer/highlight',
  '@mui/material',
  '@mui/x-charts',
  '@tanstack/react-query',
  '@tanstack/react-router',
  '@xyflow/react',
  'd3-hierarchy',
  'diff',
  'notistack',
  'react',
  'react-dom',
  'react-hook-form',
  'yaml',
  'zod',
];

const zones: Zone[] = [
  { from: contract, paths: [contract], packages: ['fflate', 'zod'] },
  { from: /^packages\/sigma\/src\/cli/, paths: [/^packages\/sigma\//], packages: [node, 're2js', 'yaml'] },
  { from: /^packages\/sigma\//, paths: [/^packages\/sigma\//], packages: ['re2js', 'yaml'] },
  { from: /^packages\/world\//, paths: [/^packages\/world\//, contract], packages: [node] },
  { from: /^packages\/agent\//, paths: [/^packages\/agent\//, contract], packages: [node] },
  { from: /^packages\/connectors\//, paths: [/^packages\/connectors\//], packages: [node, 'aws4fetch'] },

  // Entry points and the composition of the application.
  {
    from: /^packages\/server\/src\/[\w.-]+\.ts$/,
    paths: [/^packages\/(server|contract|world)\/src\//],
    packages: [node, '@fastify/rate-limit', '@fastify/static', 'fastify', 'kysely', 'zod'],
  },
  {
    from: server('core'),
    paths: [server('core'), contract],
    packages: [
      node,
      '@fastify/helmet',
      '@fastify/rate-limit',
      '@node-rs/argon2',
      '@opentelemetry/api',
      '@opentelemetry/exporter-metrics-otlp-proto',
      '@opentelemetry/exporter-trace-otlp-proto',
      '@opentelemetry/resources',
      '@opentelemetry/sdk-metrics',
      '@opentelemetry/sdk-trace',
      '@zxcvbn-ts/language-common',
      'aws4fetch',
      'fastify',
      'fflate',
      'ipaddr.js',
      'kysely',
      'pg',
      'pg-boss',
      'pino',
      'prom-client',
      'sharp',
      'undici',
      'zod',
    ],
  },
  // The facts are generated with the rules; citations of rules' fields need the engine's places of them.
  {
    from: server('domain'),
    paths: [
      server('core|domain'),
      contract,
      /^detections\/facts\/facts\.ts$/,
      /^packages\/sigma\/src\/(?:fields|logsource|source)\.ts$/,
    ],
    packages: [node, '@clickhouse/client', '@zxcvbn-ts/language-common', 'hyparquet', 'hyparquet-writer', 'kysely', 'pdfmake'],
  },
  {
    from: server('pipeline'),
    paths: [server('core|domain|pipeline'), /^packages\/sigma\//, contract],
    packages: [node, 'kysely', 'tldts'],
  },
  // Samples and files are mapped by the intake’s own code.
  {
    from: server('features/(?:webhook-sources|imports)'),
    paths: [server('core|domain|pipeline'), contract, ports],
    typePaths: [services],
    packages: featurePackages,
  },
  // The intake hands batches to the pipeline.
  {
    from: server('features/ingest'),
    paths: [server('core|domain|pipeline'), contract, ports],
    typePaths: [services],
    packages: [...featurePackages, '@bufbuild/protobuf'],
  },
  // Rules are checked by the engine, and follow the detector.
  {
    from: server('features/(?:rules|rule-packs|past-searches)'),
    paths: [server('core|domain|pipeline'), /^packages\/sigma\//, contract, ports],
    typePaths: [services],
    packages: [...featurePackages, 'isomorphic-git', 'modern-tar'],
  },
  // Connections run the connectors.
  {
    from: server('features/connections'),
    paths: [server('core|domain'), /^packages\/connectors\//, contract, ports],
    typePaths: [services],
    packages: featurePackages,
  },
  // Deliveries run the targets.
  {
    from: server('features/deliveries'),
    paths: [server('core|domain'), /^packages\/connectors\//, contract, ports],
    typePaths: [services],
    packages: featurePackages,
  },
  // The demo sends the world through the intake.
  {
    from: server('features/demo'),
    paths: [server('core|domain'), /^packages\/world\//, contract, ports],
    typePaths: [services, /^packages\/server\/src\/pipeline\/event\.ts$/],
    packages: featurePackages,
  },
  {
    from: server('features'),
    paths: [server('core|domain'), contract, ports],
    typePaths: [services],
    packages: featurePackages,
  },

  {
    from: /^packages\/web\/src\/kit\//,
    // Numbers are written alike by screens, reports and Sapphire.
    paths: [/^packages\/web\/src\/kit\//, /^packages\/contract\/src\/rules\/numbers\.ts$/],
    packages: [
      '@emotion/react',
      '@mui/material',
      '@mui/x-charts',
      '@mui/x-data-grid',
      'react',
      'react-dom',
      'react-easy-crop',
      'react-hook-form',
    ],
  },
  // Components that tie the kit to addresses and queries.
  {
    from: /^packages\/web\/src\/lib\/[A-Z]\w*(?:\.test)?\.tsx$/,
    paths: [/^packages\/web\/src\/(kit|lib)\//, contract],
    packages: ['@mui/material', '@tanstack/react-query', '@tanstack/react-router', 'notistack', 'react', 'react-dom'],
  },
  // saveFile is the one way to offer a download.
  {
    from: /^packages\/web\/src\/lib\//,
    paths: [/^packages\/web\/src\/(lib\/|kit\/saveFile\.ts$)/, contract],
    packages: [
      '@mui/material',
      '@simplewebauthn/browser',
      '@tanstack/react-query',
      '@tanstack/react-router',
      'eventsource-parser',
      'notistack',
      'react',
      'zod',
    ],
  },
  { from: /^packages\/web\/src\/features\//, paths: [/^packages\/web\/src\/(kit|lib)\//, contract], packages: webPackages },
  {
    from: /^packages\/web\/src\//,
    paths: [/^packages\/web\//, contract],
    packages: [...webPackages, '@emotion/cache', '@emotion/react'],
  },
  { from: /^packages\/web\//, paths: [/^packages\/web\/[\w.]+\.ts$/], packages: [node, '@vitejs/plugin-react', 'vite'] },
];

/** Additional imports of test files and of the folders that serve tests only. */
const testZones: Zone[] = [
  // Agents and worlds are tested against the real server and the real rules.
  {
    from: /^packages\/(agent|server|world)\/(test|vm)\//,
    paths: [/^packages\//, /^tools\//, /^e2e\/agent\.ts$/, /^detections\/testing\//],
    packages: [
      node,
      'vitest',
      '@fastify/rate-limit',
      '@fastify/static',
      '@simplewebauthn/server',
      'dns2',
      'fast-check',
      'fastify',
      'fflate',
      'kysely',
      'otpauth',
      'pg',
      'smtp-server',
      'zod',
      // Assistants and receivers of deliveries.
      '@modelcontextprotocol/client',
      'adaptivecards',
      'ajv',
      'standardwebhooks',
    ],
  },
  {
    from: /^packages\/server\/.*\.test\.ts$/,
    paths: [
      /^packages\/(agent|connectors|contract|sigma|world)\/src\//,
      /^packages\/(agent|server)\/test\//,
      server('core|domain|pipeline'),
    ],
    packages: [...featurePackages, ...judges, 'fast-check', 'pg', 'pino', 's3rver', 'sharp', 'vitest'],
  },
  // The doctor is tried on a mail server with a certificate.
  { from: /^packages\/server\/src\/doctor\.test\.ts$/, paths: [], packages: ['smtp-server'] },
  // Figures are recounted after retention dropped what they were counted from.
  {
    from: /^packages\/server\/src\/domain\/figures\.test\.ts$/,
    paths: [/^packages\/server\/src\/features\/retention\/retention\.service\.ts$/],
    packages: [],
  },
  { from: /^packages\/agent\/.*\.test\.ts$/, paths: [], packages: ['fast-check', 'vitest'] },
  { from: /\.test\.tsx?$/, paths: [], packages: [node, 'fast-check', 'vitest', 'zod'] },
];

/** Web features whose parts another feature shows; tests included. */
const webCrossings = new Set<string>([
  'dashboard → alerts',
  'dashboard → cases',
  'devices → tags',
  // Tabs of data sources.
  'devices → connections',
  'devices → webhook-sources',
  'devices → imports',
  // Files are mapped as the bodies of webhooks.
  'imports → webhook-sources',
  // Targets are added with the form of connections, made from the fields of a kind.
  'deliveries → connections',
  // A device lists its alerts.
  'devices → alerts',
  // The checklist stands on the dashboard until it is done, and on each client's details.
  'dashboard → setup',
  'organisations → setup',
  // Collectors belong to a device; tokens, keys and files to a client.
  'agents → devices',
  // Isolated hosts are marked as in the list of alerts.
  'agents → alerts',
  'agents → collectors',
  'agents → organisations',
  // Selected alerts are suppressed as long as new suppressions last.
  'alerts → suppressions',
  // A case lists its alerts.
  'cases → alerts',
  // A case shows, approves and confirms its responses.
  'cases → responses',
  // Device types have one set of names.
  'responses → devices',
  'vulnerabilities → devices',
  // A device lists its findings.
  'devices → vulnerabilities',
  // Acceptances end as suppressions do.
  'vulnerabilities → suppressions',
  // A client is selected as in client details.
  'reports → organisations',
  // The emails of a case show their delivery as the outbox does.
  'cases → outbox',
  // A rule’s text is edited, compared and checked as a configuration; exceptions last as suppressions do.
  'rule-packs → rules',
  // Each list and pack starts a search of the past.
  ...['intelligence', 'rule-packs'].map((page) => `${page} → past-searches`),
  'intelligence → rules',
  'rules → collectors',
  'rules → suppressions',
  // Every list has saved views.
  ...['alerts', 'devices', 'users', 'audit', 'cases', 'reviews', 'events', 'responses'].map((list) => `${list} → views`),
  'collectors → organisations',
  'responses → organisations',
  'sapphire → organisations',
  // A review shows the verdict of its case.
  'reviews → cases',
  // An authenticator app is set up as at sign-in.
  'settings → auth',
  // Frame of the pages without a session, and of a consent.
  ...['assistants', 'case-answer', 'connections', 'mail-subscriptions'].map((page) => `${page} → auth`),
]);

/** Casework: responses, emails and reviews change their case and write its history. */
const serverCrossings = new Set<string>(['case-mails → cases', 'responses → cases', 'reviews → cases', 'cases → reviews']);

/** Server features whose tests run another feature’s code instead of a stand-in. */
const testCrossings = new Set<string>([
  'account → auth',
  'balance → correlation',
  'brand → outbox',
  // Marked objects of the probe are no part of a count.
  'billing → isolation',
  'bulk → auth',
  'bulk → cases',
  'decisioning → intelligence',
  'demo → vulnerabilities',
  'mail-subscriptions → outbox',
  'mail-subscriptions → responses',
  'reports → outbox',
  'responses → agents',
  'setup → correlation',
  'silence → ingest',
  'suppressions → cases',
]);

export const isTestFile = (file: string): boolean => /\.test\.tsx?$/.test(file) || /^packages\/\w+\/(test|vm)\//.test(file);

const featureOf = (file: string) => /^(packages\/\w+)\/src\/features\/([a-z-]+)\//.exec(file);

/** Features of one package: 'own', or the crossing as "from → to". */
function crossingOf(file: string, target: string): string | undefined {
  const [, fromPackage, from] = featureOf(file) ?? [];
  const [, toPackage, to] = featureOf(target) ?? [];
  if (!from || !to || fromPackage !== toPackage) return undefined;
  return from === to ? 'own' : `${from} → ${to}`;
}

const isRepositoryPath = (target: string) => /^(packages|detections|tools|bench|e2e)\//.test(target);
const isPackage = (target: string, name: string) =>
  name === node ? target.startsWith(node) : target === name || target.startsWith(`${name}/`);

function zoneAllows({ paths, typePaths = [], packages }: Zone, { target, isTypeOnly }: Import): boolean {
  if (!isRepositoryPath(target)) return packages.some((name) => isPackage(target, name));
  return paths.some((path) => path.test(target)) || (isTypeOnly && typePaths.some((path) => path.test(target)));
}

const crossingsOf = (file: string): Set<string>[] =>
  file.startsWith('packages/web/') ? [webCrossings] : [serverCrossings, ...(isTestFile(file) ? [testCrossings] : [])];

export function isAllowed(entry: Import): boolean {
  const { file, target, isExport } = entry;
  const isTest = isTestFile(file);
  const crossing = crossingOf(file, target);
  if (crossing === 'own') return true;
  // A wall that lets everything through is none: what crosses is imported where it is used.
  if (crossing && isExport) return false;
  if (crossing && crossingsOf(file).some((declared) => declared.has(crossing))) return true;
  const own = zones.find(({ from }) => from.test(file));
  const additional = isTest ? testZones.filter(({ from }) => from.test(file)) : [];
  return [...(own ? [own] : []), ...additional].some((zone) => zoneAllows(zone, entry));
}
