/** Documents of the model, as their shippers post them: a row’s values over a shape, and the names and times that its host gives it. */
import type { Document } from '../pairs.ts';
import { originalOf } from '../programs.ts';
import { documentOf, lay } from '../shapes.ts';
import type { Context } from './fleet.ts';
import { between, pick, type Random } from './random.ts';

type Values = Record<string, unknown>;

/** Returns a document of the shape with the row’s values, its host’s names and its time. */
export function shapedDocument(
  shape: string,
  row: Record<string, string>,
  context: Context,
  at: number,
  random: Random,
): Document {
  const time = new Date(at).toISOString();
  if (shape.startsWith('web-')) return webDocument(row, context, time, random);
  if (context.host.roles.includes('*')) return windowsDocument(shape, row, context, time, random);
  const document = documentOf(shape, otherValues(shape, row));
  const { name, ip } = context.host;
  if ('createdDateTime' in document) document.createdDateTime = time.replace(/\.\d+/, '');
  else if ('activityDateTime' in document) document.activityDateTime = time.replace(/\.\d+/, '');
  else if ('CreationTime' in document) document.CreationTime = time.slice(0, 19);
  else document['@timestamp'] = time;
  if (typeof document.host === 'string') {
    document.host = name;
    document['fromhost-ip'] = ip;
  } else if (shape.startsWith('linux') || shape.startsWith('packet')) {
    lay(document, 'host.name', name);
    if (shape.startsWith('linux')) lay(document, 'host.hostname', name);
    lay(document, 'agent.name', name);
  }
  return document;
}

function windowsDocument(shape: string, row: Record<string, string>, { host }: Context, time: string, random: Random): Document {
  const values: Values = { ...row };
  if (shape === 'sysmon-1') Object.assign(values, versionOf(row.Image!));
  else if (shape === 'sysmon-5') keep(values, ['Image', 'User']);
  else if (shape === 'sysmon-7') Object.assign(values, libraryVersion(row.ImageLoaded!, row.Signature ?? ''));
  else if (shape === 'security-4688') Object.assign(values, processStart(row, host.name), { TokenElevationType: elevation(row) });
  else if (shape === 'security-4689') Object.assign(values, { ...account(row.User!, host.name), ProcessName: row.Image! });
  if (shape.startsWith('security-468')) drop(values, ['Image', 'ParentImage', 'ParentCommandLine', 'User', 'IntegrityLevel']);
  if (shape === 'security-4689') drop(values, ['CommandLine']);
  if (shape.startsWith('security-') && values.SubjectUserName === `${host.name}$` && values.SubjectUserSid === undefined)
    Object.assign(values, { SubjectUserSid: 'S-1-5-18', SubjectLogonId: '0x3e7' });
  if (shape.startsWith('sysmon-')) Object.assign(values, { ...processIds(shape, random), ...utc(shape, time) });
  const fqdn = `${host.name}.alder.example`;
  const document = documentOf(shape, {
    ...values,
    'event.created': time,
    'agent.name': host.name,
    'host.name': fqdn,
    'winlog.computer_name': fqdn,
  });
  document['@timestamp'] = time;
  return document;
}

function keep(values: Values, names: readonly string[]): void {
  for (const name of Object.keys(values)) if (!names.includes(name)) delete values[name];
}

function drop(values: Values, names: readonly string[]): void {
  for (const name of names) delete values[name];
}

const utc = (shape: string, time: string): Values =>
  shape === 'sysmon-16' || shape === 'sysmon-4' || shape === 'sysmon-255' ? {} : { UtcTime: time.replace('T', ' ').slice(0, 23) };

/** Process ids where the shape has them. */
function processIds(shape: string, random: Random): Values {
  const pid = String(between(random, 300, 20_000));
  if (/^sysmon-(?:8|10)$/.test(shape)) return { SourceProcessId: pid };
  if (/^sysmon-(?:6|16|4|255)$/.test(shape)) return {};
  const guid = `{b3c1e5f0-${between(random, 4_096, 65_535).toString(16)}-6520-9a01-0000${Number(pid).toString(16).padStart(8, '0')}}`;
  return { ProcessId: pid, ProcessGuid: guid };
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('\\') + 1);

/** What a program’s file says of itself; programs that the table of tests lacks are named as their file. */
function versionOf(image: string): Values {
  const known = originalOf(image);
  if (known.OriginalFileName !== '-') return { ...known };
  const name = nameOf(image);
  if (/^C:\\(?:Windows|ProgramData\\Microsoft|Packages)\\/i.test(image))
    return { OriginalFileName: name, Description: name.replace(/\.exe$/i, '') };
  const vendor = /\\(?:Program Files(?: \(x86\))?|ProgramData|Local|Roaming)\\([^\\]+)/.exec(image)?.[1] ?? '-';
  return { OriginalFileName: name, Description: name.replace(/\.exe$/i, ''), Product: vendor, Company: vendor };
}

function libraryVersion(path: string, signature: string): Values {
  const name = nameOf(path);
  const company = signature.startsWith('Microsoft') ? 'Microsoft Corporation' : signature;
  return { OriginalFileName: name, Description: name.replace(/\.\w+$/, ''), Company: company, Product: company };
}

function processStart(row: Record<string, string>, host: string): Values {
  return {
    NewProcessName: row.Image,
    CommandLine: row.CommandLine,
    ParentProcessName: row.ParentImage,
    MandatoryLabel: labels[row.IntegrityLevel ?? ''] ?? 'S-1-16-8192',
    ...account(row.User!, host),
  };
}

const labels: Record<string, string> = {
  Untrusted: 'S-1-16-0',
  Low: 'S-1-16-4096',
  Medium: 'S-1-16-8192',
  High: 'S-1-16-12288',
  System: 'S-1-16-16384',
};

const elevation = ({ IntegrityLevel: level }: Record<string, string>): string =>
  level === 'High' ? '%%1937' : level === 'System' ? '%%1936' : '%%1938';

/** Security events of services carry the machine’s account. */
function account(user: string, host: string): Values {
  const [domain, name] = user.split('\\');
  if (domain === 'ALDER') return { SubjectUserName: name };
  return { SubjectUserName: `${host}$` };
}

const numeric = /(?:\.(?:port|bytes|status_code)|^autonomousSystemNumber|^RecordType|^LogonType|^UserType)$/;
const json = /^(?:status|deviceDetail|initiatedBy|targetResources|Parameters|ModifiedProperties)$/;

function otherValues(shape: string, row: Record<string, string>): Values {
  const values: Values = {};
  for (const [path, value] of Object.entries(row)) {
    if (path === 'process.args') values[path] = argumentsOf(value);
    else if (path === 'event.action' && shape === 'linux-fim') values[path] = [value];
    else if (json.test(path)) values[path] = JSON.parse(value);
    else if (numeric.test(path) && value !== '') values[path] = Number(value);
    else if (value === 'true' || value === 'false') values[path] = value === 'true';
    else values[path] = value;
  }
  return Object.assign(values, repeatedValues(shape, row));
}

/** Values that a shape writes in several places. */
function repeatedValues(shape: string, row: Record<string, string>): Values {
  const values: Values = {};
  if (shape === 'linux-exec-parent') Object.assign(values, execution(row));
  if (shape === 'linux-open')
    Object.assign(values, { 'auditd.summary.how': row['process.executable'], 'auditd.summary.object.primary': row['file.path'] });
  if (shape === 'linux-exec') values['process.args'] = argumentsOf(row['process.title']!);
  if (shape === 'linux-line')
    Object.assign(values, { syslogtag: `${row.programname}[4410]:`, message: spaced(row.message ?? '') });
  if (shape === 'packet-filter') values.message = spaced(row.message ?? '');
  if (shape === 'packet-dns') Object.assign(values, dnsQuestion(row['dns.question.name']!, row['client.ip']!));
  if (shape === 'packet-tls' || shape === 'packet-http') values['client.ip'] = row['source.ip'];
  if (shape === 'packet-http')
    Object.assign(values, {
      method: row['http.request.method'],
      query: `GET ${row['url.path']}`,
      'url.full': `http://${row['url.domain']}${row['url.path']}`,
    });
  return values;
}

/** rsyslog’s message begins with the space behind the colon. */
const spaced = (message: string): string => ` ${message.trimStart()}`;

/** `sh -c` takes the rest as one argument. */
function argumentsOf(line: string): string[] {
  const shell = /^(\S*sh) (-c|-lc) (.*)$/s.exec(line);
  return shell ? shell.slice(1) : line.split(' ');
}

const last = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

const execution = (row: Record<string, string>): Values => ({
  'process.name': last(row['process.executable'] ?? ''),
  'process.parent.name': last(row['process.parent.executable'] ?? ''),
  'user.id': row['user.name'] === 'root' ? '0' : '1000',
});

function dnsQuestion(name: string, client: string): Values {
  const labels = name.split('.');
  const domain = labels.slice(-2).join('.');
  return {
    'dns.question.etld_plus_one': domain,
    'dns.question.registered_domain': domain,
    'dns.question.subdomain': labels.slice(0, -2).join('.'),
    'dns.question.top_level_domain': labels.at(-1),
    'source.ip': client,
    resource: name,
    query: `class IN, type A, ${name}`,
  };
}

const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

/** Combined log format, of nginx or Apache. */
function webDocument(row: Record<string, string>, { host }: Context, time: string, random: Random): Document {
  const [date, clock] = time.split('T') as [string, string];
  const [year, month, day] = date.split('-');
  const stamp = `${day}/${months[Number(month) - 1]}/${year}:${clock.slice(0, 8)} +0000`;
  const server = pick(random, ['nginx', 'nginx', 'apache']);
  const document = documentOf('web-access', {
    message: `${row.ip} - - [${stamp}] "${row.method} ${row.path} HTTP/1.1" ${row.status} ${row.bytes} "${row.referer}" "${row.agent}"`,
    'event.module': server,
    'event.dataset': `${server}.access`,
    'service.type': server,
    'log.file.path': `/var/log/${server === 'apache' ? 'apache2' : server}/access.log`,
    'host.name': host.name,
    'host.hostname': host.name,
    'agent.name': host.name,
  });
  document['@timestamp'] = time;
  return document;
}
