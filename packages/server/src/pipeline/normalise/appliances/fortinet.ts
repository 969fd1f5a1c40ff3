/** FortiGate log messages (FortiOS log message reference): `date=… time=… devname="…" logid="…" type="traffic" …`. */
import { type ApplianceFacts, fieldsOf, verdictType } from './facts.ts';
import { pairsOf } from './pairs.ts';

/** True for a FortiGate line; cheap, because it runs for every syslog message. */
export const isFortinet = (message: string): boolean =>
  (message.startsWith('date=') || message.startsWith('logver=') || message.startsWith('timestamp=')) &&
  message.includes('logid=');

export function readFortinet(message: string): ApplianceFacts {
  const pairs = pairsOf(message);
  const get = (name: string) => pairs.get(name);
  const kind = get('type') ?? '';
  const subtype = get('subtype') ?? '';
  const action = get('utmaction') ?? get('action');
  const zone = get('tz')?.replaceAll('"', '');
  return {
    vendor: 'Fortinet',
    product: 'FortiGate',
    dataset: 'fortinet.firewall',
    namespace: 'fortinet.firewall',
    fields: fieldsOf(pairs),
    name: get('devname'),
    serial: get('devid'),
    times: [get('eventtime'), `${get('date')}T${get('time')}${zone ?? 'Z'}`],
    ...kindOf(kind, subtype, get('action'), get('status')),
    action: kind === 'event' ? (get('action') ?? subtype) : action,
    code: get('logid'),
    reason: get('reason'),
    source: {
      address: get('srcip') ?? get('remip'),
      port: get('srcport'),
      natAddress: get('transip'),
      natPort: get('transport'),
      mac: get('srcmac') ?? get('mastersrcmac'),
      bytes: get('sentbyte'),
      packets: get('sentpkt'),
      country: get('srccountry'),
      zone: get('srcintf'),
    },
    destination: {
      address: get('dstip'),
      port: get('dstport'),
      natAddress: get('tranip'),
      natPort: get('tranport'),
      mac: get('dstmac'),
      bytes: get('rcvdbyte'),
      packets: get('rcvdpkt'),
      country: get('dstcountry'),
      zone: get('dstintf'),
    },
    transport: get('proto'),
    protocol: get('service'),
    application: get('app'),
    rule: {
      id: get('attackid') ?? get('policyid'),
      name: get('attack') ?? get('virus') ?? get('policyname'),
      category: get('catdesc') ?? get('appcat'),
    },
    user: get('user') ?? get('xauthuser') ?? get('unauthuser'),
    url: get('url'),
    domain: get('hostname') ?? get('qname'),
    userAgent: get('agent'),
    file: { name: get('filename'), hash: get('filehash') ?? get('analyticscksum') },
    message: get('msg') ?? get('logdesc'),
  };
}

function kindOf(kind: string, subtype: string, action: string | undefined, status: string | undefined) {
  if (kind === 'traffic') {
    const verdict = verdictType(action);
    return { category: ['network'], type: verdict ? ['connection', verdict] : ['connection'] };
  }
  if (kind === 'utm' || kind === 'ips' || kind === 'virus' || kind === 'webfilter') {
    const verdict = verdictType(action);
    const category =
      subtype === 'virus'
        ? ['malware', 'network']
        : /^(?:ips|anomaly)$/.test(subtype)
          ? ['intrusion_detection', 'network']
          : subtype === 'webfilter'
            ? ['web', 'network']
            : ['network'];
    return { category, type: verdict ? ['info', verdict] : ['info'] };
  }
  const isSignIn = /login|ssl-new-con|tunnel-up|auth|logon/i.test(action ?? '');
  const isFailure = /fail|deny|denied|ssl-login-fail|negotiate-error/i.test(`${action} ${status}`);
  if (isSignIn) {
    return { category: ['authentication'], type: ['start'], outcome: isFailure ? ('failure' as const) : ('success' as const) };
  }
  if (/^(?:add|edit|delete|set|move|rename|clone)$/i.test(action ?? '')) return { category: ['configuration'], type: ['change'] };
  return { category: subtype === 'vpn' ? ['network'] : [], type: ['info'] };
}
