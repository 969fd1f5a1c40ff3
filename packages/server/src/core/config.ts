/** Configuration, parsed once from the environment; reports all errors together. No other module reads process.env. */
import { resolve } from 'node:path';
import { validationMessage } from '@parapet/contract/texts.ts';
import { z } from 'zod';
import { isDnsServer, isParsable } from './config.addresses.ts';
import { type BackupConfig, backupOf, backupSettings } from './config.backup.ts';
import { type OtlpConfig, otlpOf, otlpSettings } from './config.otlp.ts';
import { type S3Config, s3Of } from './config.s3.ts';
import { type PortRange, type SyslogTcp, type SyslogUdp, syslogPortsSetting, syslogSetting } from './config.syslog.ts';
import type { Limits } from './http/budgets.ts';
import { type KeySource, minimumLength } from './keys/master.ts';

export const roles = ['api', 'ingest', 'worker'] as const;
export type Role = (typeof roles)[number];

const number = (fallback: number, min: number, max: number) => z.coerce.number().int().min(min).max(max).default(fallback);
/** Comma-separated texts, `max` characters in all. */
const texts = (max: number) =>
  z
    .string()
    .max(max)
    .default('')
    .transform((text) =>
      text
        .split(',')
        .map((part) => part.trim())
        .filter(Boolean),
    );
const flag = z.enum(['0', '1']).optional();
const keyText = z.string().min(minimumLength, `must have at least ${minimumLength} characters`).max(500).optional();
const filePath = z.string().max(1000).optional();
const url = z
  .url({ protocol: /^https?$/, error: 'must be a whole address, starting with https://' })
  .max(1000)
  .transform((text) => text.replace(/\/+$/, ''));

const environment = z.object({
  PORT: number(8080, 0, 65_535),
  HOST: z.string().min(1).max(253).optional(),
  DATA_DIR: z.string().min(1).max(1000).default('./data'),
  DATABASE_URL: z
    .string()
    .max(2000)
    .refine((url) => /^postgres(ql)?:\/\//.test(url), 'must start with postgres:// or postgresql://')
    .refine(...isParsable)
    .optional(),
  APP_DATABASE_URL: z
    .string()
    .max(2000)
    .refine(...isParsable)
    .optional(),
  PORTAL_DEMO: flag,
  PORTAL_DEMO_SCALE: z.coerce.number().min(0.01).max(100).default(1),
  PORTAL_DEMO_SEED: number(1, 0, 2 ** 31 - 1),
  PORTAL_ROLES: z
    .string()
    .default(roles.join(','))
    .transform((text) => text.split(',').map((role) => role.trim()))
    .pipe(z.array(z.enum(roles, { error: `each must be one of ${roles.join(', ')}` })).min(1)),
  TRUST_PROXY: flag,
  ...backupSettings,
  ...otlpSettings,
  SECRET_KEY: keyText,
  SECRET_KEY_FILE: filePath,
  SECRET_KEY_COMMAND: z.string().max(2000).transform(commandOf).optional(),
  SECRET_KEY_OLD: keyText,
  SECRET_KEY_OLD_FILE: filePath,
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent']).default('info'),
  RULES_DIR: z.string().max(1000).optional(),
  COMMON_PASSWORDS_FILE: z.string().max(1000).optional(),
  CLICKHOUSE_URL: url.optional(),
  CLICKHOUSE_CLUSTER: z
    .string()
    .regex(/^[\w-]{1,100}$/, 'must be letters, digits, - and _')
    .optional(),
  ALERT_RETENTION_MONTHS: number(13, 1, 120),
  EVENT_RETENTION_DAYS: number(30, 1, 3650),
  ALERT_GROUPING_WINDOW_MINUTES: number(60, 0, 1440),
  INGEST_MAX_INFLIGHT_MIB: number(32, 10, 4096),
  API_CALLS_A_MINUTE: number(3000, 60, 1_000_000_000),
  API_REFUSALS_A_MINUTE: number(60, 5, 1_000_000_000),
  UPLOADS_AT_ONCE: number(4, 1, 1000),
  UPLOAD_MAX_INFLIGHT_MIB: number(64, 1, 65_536),
  SYSLOG: syslogSetting,
  SYSLOG_PORTS: syslogPortsSetting,
  SYSLOG_HOST: z.string().max(253).default('0.0.0.0'),
  SYSLOG_TLS_CERT: z.string().max(1000).optional(),
  SYSLOG_TLS_KEY: z.string().max(1000).optional(),
  SYSLOG_TLS_CA: z.string().max(1000).optional(),
  PUBLIC_URL: url.optional(),
  SMTP_URL: z
    .string()
    .max(1000)
    .regex(/^smtps?:\/\//, 'must start with smtp:// or smtps://')
    .refine(...isParsable)
    .optional(),
  MAIL_FROM: z.email('must be an email address').max(254).optional(),
  SOC_ADDRESS: z.email('must be an email address').max(254).optional(),
  S3_ENDPOINT: url.optional(),
  S3_BUCKET: z.string().min(1).max(63).optional(),
  S3_REGION: z.string().min(1).max(64).default('us-east-1'),
  S3_ACCESS_KEY_ID: z.string().min(1).max(200).optional(),
  S3_SECRET_ACCESS_KEY: z.string().min(1).max(200).optional(),
  SSO_ISSUER: url.optional(),
  SSO_CLIENT_ID: z.string().min(1).max(300).optional(),
  SSO_CLIENT_SECRET: z.string().max(500).optional(),
  SSO_SECOND_FACTOR_ACR: z
    .string()
    .max(2000)
    .default('')
    .transform((text) => text.split(/[\s,]+/).filter(Boolean)),
  SSO_ALLOW_INSECURE: flag,
  MAX_SESSIONS_PER_USER: number(10, 1, 1000),
  REGISTRATION: flag,
  CUSTOMER_SUCCESS_URL: url.optional(),
  MAINTENANCE: flag,
  SAFE_MODE: flag,
  ACCESS_LOG: z.enum(['all', 'slow']).default('slow'),
  METRICS_TOKEN: z.string().min(16).max(500).optional(),
  METRICS_PORT: z.coerce.number().int().min(0).max(65_535).optional(),
  METRICS_HOST: z.string().min(1).max(253).default('127.0.0.1'),
  DNS_SERVERS: texts(500).pipe(
    z.array(z.string().refine(isDnsServer, 'is a list of addresses, such as 192.0.2.53 or 192.0.2.53:5353')).max(10),
  ),
  ADDRESS_TABLES: texts(4000),
  AGENT_RELEASE_KEY: z.string().min(40).max(1000).optional(),
  CONNECTION_ORIGINS: texts(2000).pipe(
    z.array(z.url({ protocol: /^https?$/, error: 'is a list of addresses, such as http://192.0.2.7:8080' })).max(20),
  ),
  EGRESS_PROXY: z.url({ protocol: /^https?$/, error: 'is the address of a proxy, such as http://192.0.2.8:3128' }).optional(),
  MODEL_URL: url.optional(),
  MODEL_NAME: z.string().min(1).max(200).optional(),
  MODEL_API_KEY: z.string().min(1).max(500).optional(),
});

export interface Config {
  port: number;
  host: string;
  dataDir: string;
  databaseUrl: string | undefined;
  appDatabaseUrl: string | undefined;
  /** Destination of past events, and the name of its cluster. */
  clickHouse: { url: string; cluster: string | undefined } | undefined;
  isDemo: boolean;
  demoScale: number;
  demoSeed: number;
  roles: readonly Role[];
  /** True when PORTAL_ROLES is set: this process may join one that already runs on the same data folder. */
  hasNamedRoles: boolean;
  trustProxy: boolean;
  /** Source of the master key; undefined: created and stored in the database, beside the data that it protects. */
  masterKey: KeySource | undefined;
  /** The one before it, while it is changed. */
  formerMasterKey: KeySource | undefined;
  /** Undefined: none is configured. */
  backup: BackupConfig | undefined;
  logLevel: string;
  rulesDir: string;
  /** One password a line, in place of the list that comes along. */
  commonPasswordsFile: string | undefined;
  alertRetentionMonths: number;
  eventRetentionDays: number;
  groupingWindowMs: number;
  maxInflightBytes: number;
  limits: Limits;
  syslog: SyslogTcp[];
  syslogUdp: SyslogUdp[];
  /** Ports that connections may use. */
  syslogPorts: PortRange[];
  syslogHost: string;
  syslogTls: { cert: string; key: string; ca: string | undefined } | undefined;
  accessLog: 'all' | 'slow';
  metricsToken: string | undefined;
  /** Undefined: nothing of OpenTelemetry is loaded. */
  otlp: OtlpConfig | undefined;
  /** Listener that serves metrics without a token; undefined: none. */
  metricsListener: { port: number; host: string } | undefined;
  /** DNS servers for domain proofs; empty: those of the machine. */
  dnsServers: readonly string[];
  /** Files of address ranges with country or network; empty: nothing is known of addresses. */
  addressTables: readonly string[];
  /** Origins that connections may reach besides public https addresses. */
  connectionOrigins: readonly string[];
  /** Proxy to public addresses, with its credentials; undefined: they are reached directly. */
  egressProxy: string | undefined;
  /** The public Ed25519 key that packages of the agent are signed with, as PEM or base64 of DER; undefined: none are published. */
  agentReleaseKey: string | undefined;
  /** Base of all links, without a trailing slash. */
  publicUrl: string;
  /** False when `publicUrl` is derived from the port. */
  hasPublicUrl: boolean;
  /** Undefined: mails are kept in the outbox. */
  smtpUrl: string | undefined;
  mailFrom: string;
  /** Undefined: files are kept in the data folder. */
  s3: S3Config | undefined;
  /** The portal's own identity provider; partners can have theirs. */
  singleSignOn: { issuer: string; clientId: string; clientSecret: string } | undefined;
  /** Values of the `acr` claim that prove MFA at the identity provider. */
  secondFactorAcrValues: readonly string[];
  /** Live ones of one user; a further sign-in ends the least recently used. */
  maxSessionsPerUser: number;
  /** For tests on one machine: issuers over http and at private addresses. */
  allowsInsecureIssuers: boolean;
  allowsRegistration: boolean;
  customerSuccessUrl: string | undefined;
  /** Gets a copy of every mail of a case (spec §9); undefined: the address of the provider's organisation. */
  socAddress: string | undefined;
  /** Only a Host is let in; sign-in stays open. */
  isUnderMaintenance: boolean;
  /** No jobs and workers, and nothing leaves the portal. */
  isSafeMode: boolean;
  /** An OpenAI-compatible endpoint that puts narratives into prose; undefined: the portal’s own words stand. */
  proseModel: { url: string; name: string; apiKey: string | undefined } | undefined;
}

/** Throws one error that names every fault of the environment. */
export function readConfig(env: Record<string, string | undefined>): Config {
  const filled = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  // Former name, accepted until the next release.
  filled.ALERT_GROUPING_WINDOW_MINUTES ??= filled.FOLD_WINDOW_MINUTES;
  const { settings: e, invalid, faults } = parsedSettings(filled);
  const dataDir = resolve(e.DATA_DIR);
  const together = pairsOf(e);
  const keys = collected(faults, invalid, () => masterKeysOf(e));
  const backup = collected(faults, invalid, () => backupOf(e, dataDir, e.DATABASE_URL === undefined));
  const s3 = collected(faults, invalid, () => filesOf(e));
  for (const text of together) collected(faults, invalid, () => refuse(text));
  if (faults.length > 0) throw new Error(`${heading}${faults.map((fault) => `  ${fault}`).join('\n')}`);
  // A demo on an external database must be requested explicitly.
  const isDemo = e.PORTAL_DEMO === '1' || (e.PORTAL_DEMO === undefined && e.DATABASE_URL === undefined);
  return {
    port: e.PORT,
    // A demo's passwords are public, so by default only this machine reaches it.
    host: e.HOST ?? (isDemo ? 'localhost' : '0.0.0.0'),
    dataDir,
    databaseUrl: e.DATABASE_URL,
    appDatabaseUrl: e.APP_DATABASE_URL,
    clickHouse: e.CLICKHOUSE_URL === undefined ? undefined : { url: e.CLICKHOUSE_URL, cluster: e.CLICKHOUSE_CLUSTER },
    isDemo,
    demoScale: e.PORTAL_DEMO_SCALE,
    demoSeed: e.PORTAL_DEMO_SEED,
    roles: [...new Set(e.PORTAL_ROLES)],
    hasNamedRoles: filled.PORTAL_ROLES !== undefined,
    trustProxy: e.TRUST_PROXY === '1',
    masterKey: keys?.masterKey,
    formerMasterKey: keys?.formerMasterKey,
    backup,
    logLevel: e.LOG_LEVEL,
    rulesDir: resolve(e.RULES_DIR ?? new URL('../../../../detections', import.meta.url).pathname),
    commonPasswordsFile: e.COMMON_PASSWORDS_FILE === undefined ? undefined : resolve(e.COMMON_PASSWORDS_FILE),
    alertRetentionMonths: e.ALERT_RETENTION_MONTHS,
    eventRetentionDays: e.EVENT_RETENTION_DAYS,
    groupingWindowMs: e.ALERT_GROUPING_WINDOW_MINUTES * 60_000,
    maxInflightBytes: e.INGEST_MAX_INFLIGHT_MIB * 1024 * 1024,
    limits: {
      callsAMinute: e.API_CALLS_A_MINUTE,
      refusalsAMinute: e.API_REFUSALS_A_MINUTE,
      maxAtOnce: e.UPLOADS_AT_ONCE,
      maxBytes: e.UPLOAD_MAX_INFLIGHT_MIB * 1024 * 1024,
    },
    syslog: e.SYSLOG.tcp,
    syslogUdp: e.SYSLOG.udp,
    syslogPorts: e.SYSLOG_PORTS,
    syslogHost: e.SYSLOG_HOST,
    syslogTls:
      e.SYSLOG_TLS_CERT && e.SYSLOG_TLS_KEY ? { cert: e.SYSLOG_TLS_CERT, key: e.SYSLOG_TLS_KEY, ca: e.SYSLOG_TLS_CA } : undefined,
    accessLog: e.ACCESS_LOG,
    metricsToken: e.METRICS_TOKEN,
    otlp: otlpOf(e),
    metricsListener: e.METRICS_PORT === undefined ? undefined : { port: e.METRICS_PORT, host: e.METRICS_HOST },
    dnsServers: e.DNS_SERVERS,
    addressTables: e.ADDRESS_TABLES,
    connectionOrigins: e.CONNECTION_ORIGINS.map((text) => new URL(text).origin),
    egressProxy: e.EGRESS_PROXY,
    agentReleaseKey: e.AGENT_RELEASE_KEY,
    hasPublicUrl: e.PUBLIC_URL !== undefined,
    publicUrl: e.PUBLIC_URL ?? `http://localhost:${e.PORT}`,
    smtpUrl: e.SMTP_URL,
    mailFrom: e.MAIL_FROM ?? 'soc@parapet.example',
    socAddress: e.SOC_ADDRESS,
    s3,
    singleSignOn:
      e.SSO_ISSUER && e.SSO_CLIENT_ID
        ? { issuer: e.SSO_ISSUER, clientId: e.SSO_CLIENT_ID, clientSecret: e.SSO_CLIENT_SECRET ?? '' }
        : undefined,
    secondFactorAcrValues: e.SSO_SECOND_FACTOR_ACR,
    maxSessionsPerUser: e.MAX_SESSIONS_PER_USER,
    allowsInsecureIssuers: e.SSO_ALLOW_INSECURE === '1',
    allowsRegistration: e.REGISTRATION === '1',
    customerSuccessUrl: e.CUSTOMER_SUCCESS_URL,
    isUnderMaintenance: e.MAINTENANCE === '1',
    isSafeMode: e.SAFE_MODE === '1',
    proseModel: e.MODEL_URL && e.MODEL_NAME ? { url: e.MODEL_URL, name: e.MODEL_NAME, apiKey: e.MODEL_API_KEY } : undefined,
  };
}

type Settings = z.output<typeof environment>;

/** Names of all settings. */
export const settingNames: readonly string[] = Object.keys(environment.shape);

const heading = 'The environment has faults:\n';

function refuse(text: string): never {
  throw new Error(`${heading}  ${text}`);
}

/** The settings without the invalid ones, and a line for each of those. */
function parsedSettings(filled: Record<string, string | undefined>): { settings: Settings; invalid: string[]; faults: string[] } {
  const parsed = environment.safeParse(filled, { error: validationMessage });
  if (parsed.success) return { settings: parsed.data, invalid: [], faults: [] };
  const { issues } = parsed.error;
  const invalid = issues.map(({ path }) => String(path[0]));
  const valid = Object.fromEntries(Object.entries(filled).filter(([name]) => !invalid.includes(name)));
  const faults = issues.map((issue) => `${issue.path[0]?.toString()}: ${issue.message}`);
  return { settings: environment.parse(valid), invalid, faults };
}

/** Adds the fault that `part` throws, unless it names a setting that is listed as invalid itself. */
function collected<T>(faults: string[], invalid: readonly string[], part: () => T): T | undefined {
  try {
    return part();
  } catch (error) {
    const text = String((error as Error).message)
      .replace(heading, '')
      .trim();
    if (!invalid.some((name) => text.includes(name))) faults.push(text);
    return undefined;
  }
}

/** A line for each pair of settings of which one is missing. */
const pairsOf = (e: Settings): string[] =>
  (
    [
      ['SYSLOG_TLS_CERT', 'SYSLOG_TLS_KEY'],
      ['SSO_ISSUER', 'SSO_CLIENT_ID'],
      ['MODEL_URL', 'MODEL_NAME'],
    ] as const
  )
    .filter(([one, other]) => (e[one] === undefined) !== (e[other] === undefined))
    .map(([one, other]) => `${one} and ${other} go together.`);

const filesOf = (e: Settings): S3Config | undefined =>
  s3Of('S3', {
    endpoint: e.S3_ENDPOINT,
    bucket: e.S3_BUCKET,
    region: e.S3_REGION,
    accessKeyId: e.S3_ACCESS_KEY_ID,
    secretAccessKey: e.S3_SECRET_ACCESS_KEY,
  });

/** Program and arguments: a JSON list of texts, or words between spaces. No shell reads it. */
function commandOf(text: string, context: z.RefinementCtx): string[] {
  if (!text.trimStart().startsWith('[')) return text.trim().split(/\s+/);
  try {
    return z.array(z.string().min(1)).min(1).parse(JSON.parse(text));
  } catch {
    context.addIssue({ code: 'custom', message: 'must be a program and its arguments, or a JSON list of them' });
    return z.NEVER;
  }
}

function masterKeysOf(e: Settings): Pick<Config, 'masterKey' | 'formerMasterKey'> {
  const only = (names: string, sources: (KeySource | undefined)[]): KeySource | undefined => {
    const [source, another] = sources.filter((each) => each !== undefined);
    if (another) refuse(`Of ${names} only one can be set.`);
    return source;
  };
  const text = (value: string | undefined): KeySource | undefined => (value ? { kind: 'text', text: value } : undefined);
  const file = (path: string | undefined): KeySource | undefined => (path ? { kind: 'file', path } : undefined);
  const command: KeySource | undefined = e.SECRET_KEY_COMMAND && { kind: 'command', command: e.SECRET_KEY_COMMAND };
  const masterKey = only('SECRET_KEY, SECRET_KEY_FILE and SECRET_KEY_COMMAND', [
    text(e.SECRET_KEY),
    file(e.SECRET_KEY_FILE),
    command,
  ]);
  const formerMasterKey = only('SECRET_KEY_OLD and SECRET_KEY_OLD_FILE', [text(e.SECRET_KEY_OLD), file(e.SECRET_KEY_OLD_FILE)]);
  if (formerMasterKey && !masterKey)
    refuse('SECRET_KEY_OLD is the key before the present one: set SECRET_KEY, SECRET_KEY_FILE or SECRET_KEY_COMMAND too.');
  return { masterKey, formerMasterKey };
}
