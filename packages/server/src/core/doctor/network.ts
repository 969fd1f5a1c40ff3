/** Checks of the servers that the configuration names: DNS, certificates, object storage and ClickHouse. */
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { openBlobs } from '../blobs.ts';
import type { S3Config } from '../config.s3.ts';
import type { Config } from '../config.ts';
import { type Finding, ok, problem, reasonOf, warning } from './report.ts';
import { checkCertificate, isLocal } from './tls.ts';

const timeoutMs = 10_000;

interface Server {
  setting: string;
  url: URL;
}

const defaultPorts: Record<string, number> = { 'https:': 443, 'http:': 80, 'smtps:': 465, 'smtp:': 587 };

/** The servers that settings name. */
function serversOf(config: Config): (Server | Finding)[] {
  const settings: Record<string, string | undefined> = {
    PUBLIC_URL: config.hasPublicUrl ? config.publicUrl : undefined,
    SMTP_URL: config.smtpUrl,
    S3_ENDPOINT: config.s3?.endpoint,
    BACKUP_S3_ENDPOINT: config.backup?.s3?.endpoint,
    SSO_ISSUER: config.singleSignOn?.issuer,
    MODEL_URL: config.proseModel?.url,
    CLICKHOUSE_URL: config.clickHouse?.url,
  };
  return Object.entries(settings).flatMap(([setting, text]) => {
    if (!text) return [];
    const url = URL.parse(text);
    return [
      url ? { setting, url } : problem(setting, 'is not a valid address. Percent-encode the special characters of its password.'),
    ];
  });
}

const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '');

const withinTime = <T>(work: Promise<T>): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs / 1000} seconds`)), timeoutMs);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
};

async function checkServer({ setting, url }: Server, now: number): Promise<Finding[]> {
  const host = hostOf(url);
  const findings: Finding[] = [];
  if (isIP(host) === 0) {
    try {
      const { address } = await withinTime(lookup(host));
      findings.push(ok(`DNS of ${setting}`, `${host} is ${address}.`));
    } catch (error) {
      return [
        problem(`DNS of ${setting}`, `${host} cannot be resolved (${reasonOf(error)}). Check the name and the DNS server.`),
      ];
    }
  }
  if (url.protocol === 'http:') {
    if (setting === 'PUBLIC_URL' && !isLocal(host))
      findings.push(warning(setting, 'is http: passwords cross the network in clear, and passkeys do not work. Use https.'));
    return findings;
  }
  const port = Number(url.port) || (defaultPorts[url.protocol] ?? 443);
  findings.push(await checkCertificate(`Certificate of ${setting}`, { host, port, isStartTls: url.protocol === 'smtp:' }, now));
  return findings;
}

/** Lists a folder of the bucket; nothing is written. */
async function checkBucket(prefix: string, s3: S3Config | undefined): Promise<Finding[]> {
  if (!s3) return [];
  const check = `Bucket ${s3.bucket} (${prefix}_…)`;
  try {
    await openBlobs(s3, '').list('doctor/');
    return [ok(check, 'can be listed.')];
  } catch (error) {
    return [problem(check, `${reasonOf(error)} Check address, name and keys.`)];
  }
}

async function checkClickHouse(config: Config): Promise<Finding[]> {
  if (!config.clickHouse) return [];
  const origin = URL.parse(config.clickHouse.url)?.origin;
  // An invalid address is a problem of its setting.
  if (origin === undefined) return [];
  try {
    const response = await fetch(`${origin}/ping`, { signal: AbortSignal.timeout(timeoutMs) });
    await response.body?.cancel();
    if (response.ok) return [ok('ClickHouse', 'answers.')];
    return [problem('ClickHouse', `${origin}/ping answers ${response.status}. Check CLICKHOUSE_URL.`)];
  } catch (error) {
    const { cause } = error as { cause?: unknown };
    return [problem('ClickHouse', `${origin} does not answer: ${reasonOf(cause ?? error)}. Check CLICKHOUSE_URL.`)];
  }
}

export async function checkNetwork(config: Config, now: number): Promise<Finding[]> {
  const checks = await Promise.all([
    ...serversOf(config).map((server) => ('url' in server ? checkServer(server, now) : [server])),
    checkBucket('S3', config.s3),
    checkBucket('BACKUP_S3', config.backup?.s3),
    checkClickHouse(config),
  ]);
  return checks.flat();
}
