/** PAN-OS logs as comma-separated values, in the order of the PAN-OS administrator's guide ("Syslog Field Descriptions"). */
import { type ApplianceFacts, fieldsOf, verdictType } from './facts.ts';

const head = 'future1 receive_time serial type subtype future2 generated_time';
const session =
  'src dst natsrc natdst rule srcuser dstuser app vsys from to inbound_if outbound_if logset future3 sessionid repeatcnt sport dport natsport natdport flags proto action';
const layouts: Record<string, string[]> = {
  TRAFFIC:
    `${head} ${session} bytes bytes_sent bytes_received packets start elapsed category future4 seqno actionflags srcloc dstloc future5 pkts_sent pkts_received session_end_reason dg1 dg2 dg3 dg4 vsys_name device_name`.split(
      ' ',
    ),
  THREAT:
    `${head} ${session} misc threatid category severity direction seqno actionflags srcloc dstloc future4 contenttype pcap_id filedigest cloud url_idx user_agent filetype xff referer sender subject recipient reportid dg1 dg2 dg3 dg4 vsys_name device_name future5 src_uuid dst_uuid http_method`.split(
      ' ',
    ),
  SYSTEM:
    `${head} vsys eventid object future3 future4 module severity opaque seqno actionflags dg1 dg2 dg3 dg4 vsys_name device_name`.split(
      ' ',
    ),
  CONFIG: `${head} host vsys cmd admin client result path seqno actionflags dg1 dg2 dg3 dg4 vsys_name device_name`.split(' '),
  GLOBALPROTECT:
    `${head} vsys eventid stage auth_method tunnel_type srcuser srcregion machinename public_ip public_ipv6 private_ip private_ipv6 hostid serialnumber client_ver client_os client_os_ver repeatcnt reason error opaque status location login_duration connect_method error_code portal`.split(
      ' ',
    ),
};

const start = /^\d,\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d,\w{0,40},(?:TRAFFIC|THREAT|SYSTEM|CONFIG|GLOBALPROTECT),/;
export const isPaloAlto = (message: string): boolean => message.charCodeAt(1) === 44 && start.test(message);

export function readPaloAlto(message: string): ApplianceFacts {
  const values = splitLine(message);
  const kind = values[3] ?? '';
  const layout = layouts[kind] ?? [];
  const named = new Map(layout.flatMap((name, index) => (values[index] ? [[name, values[index]] as const] : [])));
  const get = (name: string) => named.get(name);
  const common = {
    vendor: 'Palo Alto Networks',
    product: 'PAN-OS',
    dataset: 'panw.panos',
    namespace: 'panw.panos',
    fields: fieldsOf([...named].filter(([name]) => !name.startsWith('future'))),
    name: get('device_name'),
    serial: get('serial'),
    localTimes: [get('generated_time')?.replaceAll('/', '-').replace(' ', 'T')],
    code: get('threatid') ?? get('eventid'),
  };
  if (kind === 'TRAFFIC' || kind === 'THREAT') return { ...common, ...readSession(kind, get) };
  if (kind === 'GLOBALPROTECT') return { ...common, ...readGlobalProtect(get) };
  if (kind === 'CONFIG')
    return {
      ...common,
      category: ['configuration'],
      type: ['change'],
      action: get('cmd'),
      outcome: configured[get('result') ?? ''],
      source: { address: get('host') },
      user: get('admin'),
      message: get('path'),
    };
  return { ...common, ...readSystem(get) };
}

/** `Submitted` has no outcome yet. */
const configured: Record<string, 'success' | 'failure'> = { Succeeded: 'success', Failed: 'failure', Unauthorized: 'failure' };

type Get = (name: string) => string | undefined;
type Part = Omit<ApplianceFacts, 'vendor' | 'product' | 'dataset' | 'namespace'>;

function readSession(kind: 'TRAFFIC' | 'THREAT', get: Get): Part {
  const verdict = verdictType(get('action'));
  const subtype = get('subtype') ?? '';
  const isMalware = /^(?:virus|wildfire|wildfire-virus|spyware)$/.test(subtype);
  const category = kind === 'TRAFFIC' ? [] : subtype === 'url' ? ['web'] : isMalware ? ['malware'] : ['intrusion_detection'];
  const misc = get('misc');
  return {
    category: [...category, 'network'],
    type: [...(kind === 'TRAFFIC' ? ['connection'] : ['info']), ...(verdict ? [verdict] : [])],
    action: get('action'),
    reason: get('session_end_reason'),
    source: {
      address: get('src'),
      port: get('sport'),
      natAddress: get('natsrc'),
      natPort: get('natsport'),
      user: get('srcuser'),
      bytes: get('bytes_sent'),
      packets: get('pkts_sent'),
      country: get('srcloc')?.includes('.') ? undefined : get('srcloc'),
      zone: get('from'),
    },
    destination: {
      address: get('dst'),
      port: get('dport'),
      natAddress: get('natdst'),
      natPort: get('natdport'),
      user: get('dstuser'),
      bytes: get('bytes_received'),
      packets: get('pkts_received'),
      country: get('dstloc')?.includes('.') ? undefined : get('dstloc'),
      zone: get('to'),
    },
    transport: get('proto'),
    application: get('app'),
    rule: { name: get('rule'), category: get('category') },
    user: get('srcuser'),
    url: subtype === 'url' ? misc : undefined,
    domain: subtype === 'url' ? /^(?:\w+:\/\/)?([^/:?#]+)/.exec(misc ?? '')?.[1] : undefined,
    method: get('http_method'),
    userAgent: get('user_agent'),
    file: subtype === 'url' ? undefined : { name: misc, hash: get('filedigest') },
    message: kind === 'THREAT' ? [get('threatid'), subtype === 'url' ? misc : undefined].filter(Boolean).join(' ') : undefined,
  };
}

function readGlobalProtect(get: Get): Part {
  const isFailure = get('status') === 'failure';
  return {
    category: ['authentication'],
    type: [/logout/.test(get('eventid') ?? '') ? 'end' : 'start'],
    action: get('eventid'),
    outcome: isFailure ? 'failure' : 'success',
    reason: get('error') ?? get('reason'),
    source: { address: get('public_ip') ?? get('public_ipv6'), natAddress: get('private_ip'), country: get('srcregion') },
    user: get('srcuser'),
    message: get('opaque'),
  };
}

const authentication = /^(?:auth-(?:fail|success)|globalprotect\S*-auth-(?:fail|succ)\w*|auth_\w+)$/;
function readSystem(get: Get): Part {
  const opaque = get('opaque') ?? '';
  const eventId = get('eventid') ?? '';
  const isSignIn = authentication.test(eventId) || /^(?:failed )?authenticat(?:ed|ion)|authenticated for user/i.test(opaque);
  const isFailure = /fail|invalid|denied/i.test(`${eventId} ${opaque}`);
  return {
    category: isSignIn ? ['authentication'] : [],
    type: [isSignIn ? 'start' : 'info'],
    action: eventId,
    outcome: isSignIn ? (isFailure ? 'failure' : 'success') : undefined,
    source: { address: /\bFrom: ([\da-f.:]{3,45}?)\.?(?:\s|$)/i.exec(opaque)?.[1] },
    user: /\buser ['"]([^'"]{1,200})['"]/i.exec(opaque)?.[1] ?? /\bUser(?: name)?: ([^,\s]{1,200})/i.exec(opaque)?.[1],
    message: opaque || undefined,
  };
}

/** Values of one line; quotes are doubled inside quoted ones. */
function splitLine(line: string): string[] {
  const values: string[] = [];
  let at = 0;
  while (at <= line.length && values.length < 200) {
    if (line[at] !== '"') {
      const comma = line.indexOf(',', at);
      const end = comma < 0 ? line.length : comma;
      values.push(line.slice(at, end));
      at = end + 1;
      continue;
    }
    let value = '';
    for (at++; ; at++) {
      const quote = line.indexOf('"', at);
      if (quote < 0) {
        value += line.slice(at);
        at = line.length;
        break;
      }
      value += line.slice(at, quote);
      at = quote + 1;
      if (line[at] !== '"') break;
      value += '"';
    }
    values.push(value);
    at++;
  }
  return values;
}
