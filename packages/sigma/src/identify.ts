/** Log sources other than Windows event logs: ECS documents by dataset and category, cloud records by their keys. */
import { type Document, keysOf, type Source, sourceOf, statedSourceOf } from './source.ts';

const asObject = (value: unknown): Document | undefined =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Document) : undefined;

/** The first text at a dotted path, nested or flat. */
function text(document: Document, path: string): string | undefined {
  const flat = document[path];
  let value: unknown = flat;
  if (flat === undefined) {
    value = document;
    for (const part of keysOf(path)) value = asObject(value)?.[part];
  }
  const first = Array.isArray(value) ? value[0] : value;
  return typeof first === 'string' ? first.toLowerCase() : undefined;
}

function texts(document: Document, path: string): string[] {
  const [head = '', tail = ''] = keysOf(path);
  const value = document[path] ?? asObject(document[head])?.[tail];
  return (Array.isArray(value) ? value : [value])
    .filter((entry) => typeof entry === 'string')
    .map((entry) => entry.toLowerCase());
}

const AZURE = ['activitylogs', 'auditlogs', 'signinlogs', 'riskdetection', 'pim'];
const M365 = ['audit', 'exchange', 'threat_detection', 'threat_management'];
const M365_SOURCE = sourceOf('any', ['m365'], M365, []);
const SIGN_IN_SOURCE = sourceOf('any', ['azure'], ['signinlogs'], []);
const ZEEK = [
  'conn',
  'dce_rpc',
  'dns',
  'files',
  'ftp',
  'http',
  'kerberos',
  'ntlm',
  'rdp',
  'smb_files',
  'smb_mapping',
  'ssh',
  'ssl',
  'x509',
];

/** Dataset → product, services, categories. */
const DATASETS: Record<string, [string[] | undefined, string[] | undefined, string[] | undefined]> = {
  'aws.cloudtrail': [['aws'], ['cloudtrail'], []],
  'aws.guardduty': [['aws'], ['guardduty'], []],
  'aws.vpcflow': [['aws'], ['vpcflow'], ['firewall']],
  'azure.signinlogs': [['azure'], ['signinlogs'], []],
  'azure.auditlogs': [['azure'], ['auditlogs', 'pim'], []],
  'azure.activitylogs': [['azure'], ['activitylogs'], []],
  'azure.identity_protection': [['azure'], ['riskdetection'], []],
  'o365.audit': [['m365'], M365, []],
  'okta.system': [['okta'], ['okta'], []],
  'microsoft_defender_endpoint.log': [['defender_endpoint'], ['alert'], []],
  'm365_defender.alert': [['m365_defender'], ['alert'], []],
  'm365_defender.incident': [['m365_defender'], ['incident'], []],
  'crowdstrike.alert': [['crowdstrike'], ['alert'], []],
  'sentinel_one.threat': [['sentinelone'], ['threat'], []],
  'gcp.audit': [['gcp'], ['gcp.audit'], []],
  'github.audit': [['github'], ['audit'], []],
  'bitbucket.audit': [['bitbucket'], ['audit'], []],
  'onelogin.events': [['onelogin'], ['onelogin.events'], []],
  'kubernetes.audit_logs': [['kubernetes'], ['audit'], ['application']],
  'apache.access': [['apache'], ['apache'], ['webserver']],
  'apache.error': [['apache'], ['apache'], []],
  'nginx.access': [['nginx'], ['nginx'], ['webserver']],
  'nginx.error': [['nginx'], ['nginx'], []],
  'iis.access': [['windows', 'iis'], ['iis'], ['webserver']],
  'tomcat.access': [['tomcat'], ['tomcat'], ['webserver']],
  'haproxy.log': [['haproxy'], ['haproxy'], ['webserver', 'proxy']],
  'squid.log': [['squid'], ['squid'], ['proxy']],
  'squid.access': [['squid'], ['squid'], ['proxy']],
  'zscaler.zia': [['zscaler'], [], ['proxy']],
  'fortinet.firewall': [['fortinet', 'fortios', 'fortigate'], ['event', 'sslvpnd'], ['firewall']],
  'panw.panos': [['paloalto'], ['globalprotect'], ['firewall']],
  'cisco.asa': [['cisco'], ['asa', 'syslog'], ['firewall']],
  'cisco.ios': [['cisco'], ['aaa', 'bgp', 'ldp', 'syslog'], []],
  'cisco_duo.admin': [['cisco'], ['duo'], []],
  'cisco_duo.auth': [['cisco'], ['duo'], []],
  'auditd.log': [['linux'], ['auditd'], []],
  'system.auth': [['linux'], ['auth'], []],
  'system.syslog': [['linux'], ['syslog'], []],
  iptables: [['linux'], ['iptables'], ['firewall']],
};

const SOURCE_OF_DATASET = new Map(Object.entries(DATASETS).map(([dataset, parts]) => [dataset, sourceOf('ecs', ...parts)]));

const PROGRAMS: Record<string, string[]> = {
  sshd: ['sshd', 'auth'],
  sudo: ['sudo', 'auth'],
  su: ['auth'],
  login: ['auth'],
  useradd: ['auth'],
  userdel: ['auth'],
  usermod: ['auth'],
  groupadd: ['auth'],
  passwd: ['auth'],
  'systemd-logind': ['auth'],
  polkitd: ['auth'],
  cron: ['cron'],
  crond: ['cron'],
  crontab: ['cron'],
  vsftpd: ['vsftpd'],
  clamd: ['clamav'],
  clamav: ['clamav'],
  freshclam: ['clamav'],
  clamscan: ['clamav'],
  guacd: ['guacamole'],
  auditd: ['auditd'],
  audispd: ['auditd'],
  modsecurity: ['modsecurity'],
};

/** Source of a document that is not a Windows event log record. */
export function identify(document: Document): Source {
  return (
    explicit(document) ??
    cloud(document) ??
    byDataset(document) ??
    bySyslog(document) ??
    byCategory(document) ??
    byKeys(document) ??
    UNKNOWN
  );
}

const UNKNOWN = sourceOf('any', undefined, undefined, undefined);
const STATED = /^[a-z0-9_.-]{1,40}$/;

/** Explicit Sigma log source of a document: `{ "logsource": { "product": … } }`. */
function explicit(document: Document): Source | undefined {
  const stated = asObject(document.logsource);
  if (!stated) return undefined;
  const part = (key: string): string[] | undefined => {
    const value = stated[key];
    const text = typeof value === 'string' ? value.toLowerCase() : '';
    return STATED.test(text) ? [text] : undefined;
  };
  const [product, service, category] = [part('product'), part('service'), part('category')];
  if (!product && !service && !category) return undefined;
  return statedSourceOf(
    product,
    service ?? (category || product ? [] : undefined),
    category ?? (service || product ? [] : undefined),
  );
}

function cloud(document: Document): Source | undefined {
  if (document.eventVersion !== undefined && document.eventSource !== undefined && document.userIdentity !== undefined)
    return sourceOf('any', ['aws'], ['cloudtrail'], []);
  if (document.Workload !== undefined && document.Operation !== undefined) return M365_SOURCE;
  const payload = asObject(document.protoPayload);
  if (payload) return sourceOf('any', ['gcp'], ['gcp.audit'], []);
  if (document.kind === 'Event' && typeof document.apiVersion === 'string' && document.apiVersion.startsWith('audit.k8s.io'))
    return sourceOf('any', ['kubernetes'], ['audit'], ['application']);
  if (document.eventType !== undefined && document.published !== undefined && asObject(document.actor))
    return sourceOf('any', ['okta'], ['okta'], []);
  if (document.userPrincipalName !== undefined && document.conditionalAccessStatus !== undefined) return SIGN_IN_SOURCE;
  if (typeof document.category === 'string' && (document.operationName !== undefined || document.resourceId !== undefined)) {
    const category = document.category.toLowerCase();
    if (category.includes('signinlogs')) return sourceOf('any', ['azure'], ['signinlogs'], []);
    if (category === 'auditlogs') return sourceOf('any', ['azure'], ['auditlogs', 'pim'], []);
    if (category === 'riskyusers' || category === 'userriskevents') return sourceOf('any', ['azure'], ['riskdetection'], []);
    return sourceOf('any', ['azure'], ['activitylogs'], []);
  }
  const path = document._path;
  if (typeof path === 'string' && document['id.orig_h'] !== undefined) return zeek(path);
  return undefined;
}

function zeek(log: string): Source {
  const service = ZEEK.includes(log) ? [log] : [];
  return sourceOf(
    'any',
    ['zeek'],
    service,
    log === 'dns' ? ['dns'] : log === 'http' ? ['proxy'] : log === 'conn' ? ['firewall'] : [],
  );
}

function byDataset(document: Document): Source | undefined {
  const dataset = text(document, 'event.dataset') ?? text(document, 'data_stream.dataset');
  if (dataset === undefined) {
    const type = text(document, 'event.module');
    if (type === 'auditd' || type === 'auditd_manager') return auditd(document);
    return undefined;
  }
  if (
    dataset.startsWith('auditd_manager') ||
    (dataset.startsWith('auditd') && text(document, 'event.module') === 'auditd' && dataset !== 'auditd.log')
  )
    return auditd(document);
  if (dataset.startsWith('zeek.')) return zeek(dataset.slice(5));
  if (dataset === 'system.auth' || dataset === 'system.syslog')
    return syslog(document, dataset === 'system.auth' ? ['auth'] : []);
  if (dataset.startsWith('google_workspace.'))
    return sourceOf('ecs', ['gcp', 'google_workspace'], ['google_workspace.admin'], []);
  const known = SOURCE_OF_DATASET.get(dataset);
  if (known) return known;
  for (const product of ['azure', 'aws', 'gcp', 'okta', 'github'])
    if (dataset.startsWith(`${product}.`)) return sourceOf('ecs', [product], product === 'azure' ? AZURE : undefined, []);
  return undefined;
}

/** Auditd records are `service: auditd`; those of process starts, files and connections also have the generic categories. */
function auditd(document: Document): Source {
  return sourceOf('ecs', ['linux'], ['auditd'], categoriesOf(document));
}

function bySyslog(document: Document): Source | undefined {
  const log = asObject(document.log);
  const isSyslog = asObject(log?.syslog) !== undefined || text(document, 'event.dataset')?.startsWith('syslog') === true;
  const path = text(document, 'log.file.path');
  if (!isSyslog && !path?.startsWith('/var/log/')) return undefined;
  if (path && /\/(apache2?|httpd|nginx)\//.test(path)) {
    const server = path.includes('nginx') ? 'nginx' : 'apache';
    return sourceOf('ecs', [server], [server], path.includes('error') ? [] : ['webserver']);
  }
  if (path && /audit\/audit\.log/.test(path)) return auditd(document);
  return syslog(document, path && /\/(auth\.log|secure)/.test(path) ? ['auth'] : []);
}

/** By the services of the file and the program. */
const syslogSources = new Map<string, Source>();

function syslog(document: Document, known: string[]): Source {
  const program = text(document, 'process.name') ?? text(document, 'log.syslog.appname') ?? text(document, 'syslog.appname');
  const name = program?.replace(/[[(:].*$/, '');
  const own = name !== undefined && Object.hasOwn(PROGRAMS, name) ? name : '';
  const key = `${known}|${own}`;
  let source = syslogSources.get(key);
  if (!source) {
    source = sourceOf('ecs', ['linux'], [...new Set([...known, ...(PROGRAMS[own] ?? []), 'syslog'])].sort(), []);
    syslogSources.set(key, source);
  }
  return source;
}

function byCategory(document: Document): Source | undefined {
  const categories = categoriesOf(document);
  const products = productsOf(document);
  if (categories.length === 0 && !products) return undefined;
  if (categories.length === 0) return sourceOf('ecs', products, undefined, undefined);
  return sourceOf('ecs', products, [], categories);
}

function productsOf(document: Document): string[] | undefined {
  const system = text(document, 'host.os.type') ?? text(document, 'host.os.family') ?? text(document, 'host.os.platform');
  if (system !== undefined) {
    if (system === 'windows') return ['windows'];
    if (system === 'macos' || system === 'darwin') return ['macos'];
    return ['linux'];
  }
  const executable = text(document, 'process.executable');
  if (executable?.includes('\\')) return ['windows'];
  if (executable?.startsWith('/')) return executable.startsWith('/applications/') ? ['macos'] : ['linux'];
  return undefined;
}

/** Maps ECS `event.category` and `event.type` to Sigma categories. */
function categoriesOf(document: Document): string[] {
  const found: string[] = [];
  const types = texts(document, 'event.type');
  const actions = texts(document, 'event.action');
  const is = (...names: string[]) => names.some((name) => types.includes(name) || actions.includes(name));
  for (const category of texts(document, 'event.category')) {
    if (category === 'process') {
      if (is('start', 'creation', 'process_started', 'executed', 'exec', 'fork')) found.push('process_creation');
      else if (is('end', 'process_stopped', 'terminated')) found.push('process_termination');
    } else if (category === 'file') {
      if (is('creation', 'created', 'change', 'overwrite')) found.push('file_event');
      if (is('deletion', 'deleted')) found.push('file_delete');
      if (is('rename', 'moved')) found.push('file_rename');
      if (is('access', 'open')) found.push('file_access');
    } else if (category === 'registry')
      found.push('registry_event', is('deletion') ? 'registry_delete' : is('creation') ? 'registry_add' : 'registry_set');
    else if (category === 'library') found.push('image_load');
    else if (category === 'driver') found.push('driver_load');
    else if (category === 'web') found.push('webserver', 'proxy');
    else if (category === 'malware') found.push('antivirus');
    else if (category === 'database') found.push('database');
    else if (category === 'network') {
      if (asObject(document.dns) || document['dns.question.name'] !== undefined) found.push('dns', 'dns_query');
      else if (asObject(document.process) || document['process.executable'] !== undefined) found.push('network_connection');
      else found.push('firewall', 'network_connection');
    }
  }
  const kind = text(document, 'type') ?? text(document, 'network.protocol');
  if (found.length === 0 && kind === 'dns' && document.dns !== undefined) found.push('dns', 'dns_query');
  if (found.length === 0 && asObject(document.url) && asObject(document.http)) found.push('webserver', 'proxy');
  return [...new Set(found)].sort();
}

/** Flat records with Sigma field names that are specific to one source. */
function byKeys(document: Document): Source | undefined {
  if (document['cs-method'] !== undefined || document['cs-uri-query'] !== undefined || document['cs-uri-stem'] !== undefined)
    return sourceOf('any', undefined, undefined, ['webserver', 'proxy']);
  if (document['c-uri'] !== undefined) return sourceOf('any', undefined, undefined, ['proxy', 'webserver']);
  const type = document.type;
  if (
    typeof type === 'string' &&
    /^(SYSCALL|EXECVE|PATH|CWD|PROCTITLE|USER_[A-Z]+|CRED_[A-Z]+|SERVICE_[A-Z]+|ADD_[A-Z]+|DEL_[A-Z]+)$/.test(type)
  )
    return sourceOf('any', ['linux'], ['auditd'], []);
  return undefined;
}
