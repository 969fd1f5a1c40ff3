/** Import rules: for each zone of the repository, the paths and the npm packages that its files may import. */
import { serverCrossings, testCrossings, webCrossings } from './architecture.crossings.ts';
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
  'web-push',
  'write-excel-file',
  'yaml',
  'zod',
];

const webPackages = [
  '@codemirror/commands',
  '@codemirror/lang-yaml',
  '@codemirror/language',
  '@codemirror/lint',
  '@codemirror/search',
  '@codemirror/state',
  '@codemirror/view',
  '@lezer/highlight',
  '@mui/material',
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
  {
    from: /^packages\/connectors\//,
    paths: [/^packages\/connectors\//, /^packages\/contract\/src\/rules\/(clock|duration)\.ts$/],
    packages: [node, 'aws4fetch'],
  },

  // The composition of the application: of a feature its register, which also exports what is passed on to others.
  {
    from: /^packages\/server\/src\/(application(\.\w+)?|greeting)\.ts$/,
    paths: [
      /^packages\/server\/src\/([\w.-]+\.ts$|(core|domain|pipeline)\/)/,
      /^packages\/server\/src\/features\/.*\.(ports|register)\.ts$/,
      /^packages\/(contract|world)\/src\//,
    ],
    typePaths: [services],
    packages: [node, 'fastify', 'kysely'],
  },
  // Commands run one operation of a feature.
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
  // Feeds are read by connectors.
  {
    from: server('features/intelligence'),
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
    paths: [/^packages\/web\/src\/kit\//, /^packages\/contract\/src\/rules\/(duration|numbers|zones)\.ts$/],
    packages: ['@emotion/react', '@mui/material', '@mui/x-data-grid', 'react', 'react-dom', 'react-easy-crop', 'react-hook-form'],
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

  // Journeys use the portal from outside; of the server only its database, and helpers of its tests that know none of its code.
  {
    from: /^e2e\//,
    paths: [
      /^e2e\//,
      /^packages\/(contract|world)\/src\//,
      /^packages\/server\/src\/core\/db\/(connect|embedded)\.ts$/,
      /^packages\/server\/test\/(assistant\.fixture|ports)\.ts$/,
      /^tools\/(build-agent|e2e-tools|scratch)\.ts$/,
    ],
    packages: [
      node,
      '@axe-core/playwright',
      '@elastic/elasticsearch',
      '@playwright/test',
      'fflate',
      'oidc-provider',
      'otpauth',
      'smtp-server',
    ],
  },
  // Benchmarks measure parts of every package but the pages, with the fixtures of the tests.
  {
    from: /^bench\//,
    paths: [
      /^bench\//,
      /^packages\/(agent|connectors|contract|server|sigma|world)\/(src|test)\//,
      /^detections\/testing\//,
      /^e2e\/(api|hugeGraph|idle|portal)\.ts$/,
      /^tools\/(build-agent|e2e-tools|phrasings\.data)\.ts$/,
    ],
    packages: [
      node,
      '@fastify/static',
      '@mui/x-data-grid',
      '@node-rs/argon2',
      '@playwright/test',
      'autocannon',
      'fastify',
      'kysely',
      'pg',
      'react',
      'react-dom',
      'vite',
      'zod',
    ],
  },
  // Rules are tested by the engine and the pipeline.
  {
    from: /^detections\//,
    paths: [/^detections\//, /^packages\/(contract|sigma)\/src\//, server('domain|pipeline')],
    packages: [node, 'vitest', 'yaml'],
  },
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

/** Declared crossings that no import needs. */
export const unusedCrossings = (imports: readonly Import[]): string[] => {
  const used = (files: RegExp) =>
    new Set(imports.filter(({ file }) => files.test(file)).map((entry) => crossingOf(entry.file, entry.target)));
  const [web, server] = [used(/^packages\/web\//), used(/^packages\/server\//)];
  return [
    ...[...webCrossings].filter((each) => !web.has(each)),
    ...[...serverCrossings, ...testCrossings].filter((each) => !server.has(each)),
  ];
};

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
