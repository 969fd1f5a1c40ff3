/** SonicWall syslog (SonicOS log events reference): `id=firewall sn=… time="…" fw=… pri=6 c=1024 m=537 msg="…" src=ip:port:interface …`. */
import { known } from '../doc.ts';
import { type ApplianceFacts, type End, fieldsOf, verdictType } from './facts.ts';
import { pairsOf } from './pairs.ts';

export const isSonicWall = (message: string): boolean => message.startsWith('id=') && / sn=\w+ /.test(message.slice(0, 200));

/** Messages of the reference that refuse traffic; others do so in words. */
const dropped = new Set('36 37 38 41 173 174 175 646 647'.split(' '));
const signInFailed = new Set(
  '30 32 33 35 140 200 243 244 245 246 329 583 745 746 747 748 749 750 751 753 754 755 756 757 759 986 987 1035 1048'.split(' '),
);
const signedIn = new Set('29 31 139 199 235 236 237 238 1080'.split(' '));

/** Category, type, outcome and action by number and text of the message. */
function kindOf(get: (name: string) => string | undefined): Pick<ApplianceFacts, 'category' | 'type' | 'outcome' | 'action'> {
  const code = get('m') ?? '';
  const message = get('msg') ?? '';
  const stated = get('fw_action');
  const isRefused = dropped.has(code) || /\b(?:dropped|denied|blocked|rejected)\b/i.test(message);
  const action = (stated === 'NA' ? undefined : known(stated)) ?? (isRefused ? 'drop' : undefined);
  const isFailure = signInFailed.has(code) || /login (?:failed|denied)|authentication fail/i.test(message);
  if (isFailure || signedIn.has(code) || /login (?:allowed|successful)|user logged in/i.test(message))
    return {
      category: ['authentication'],
      type: ['start'],
      outcome: isFailure ? 'failure' : 'success',
      action: message.slice(0, 100),
    };
  const isIntrusion =
    /(?:IPS|IDP|Application Control) (?:Detection|Prevention)|attack|Gateway Anti-Virus|Anti-Spyware|(?:flood|scan|spoof) detected|Possible \w+ flood/i.test(
      message,
    );
  const verdict = isRefused ? 'denied' : (verdictType(action) ?? (get('dst') === undefined ? undefined : 'allowed'));
  return {
    category: isIntrusion ? ['intrusion_detection', 'network'] : ['network'],
    type: ['connection', ...(verdict ? [verdict] : [])],
    action: action ?? message.slice(0, 100),
  };
}

export function readSonicWall(message: string): ApplianceFacts {
  const pairs = pairsOf(message);
  const get = (name: string) => pairs.get(name);
  const [natSource, natDestination] = [endOf(get('natSrc')), endOf(get('natDst'))];
  return {
    vendor: 'SonicWall',
    product: 'SonicWall',
    dataset: 'sonicwall.firewall',
    namespace: 'sonicwall.firewall',
    fields: fieldsOf(pairs),
    serial: get('sn'),
    [get('time')?.endsWith(' UTC') ? 'times' : 'localTimes']: [get('time')?.replace(' UTC', 'Z').replace(' ', 'T')],
    ...kindOf(get),
    code: get('m'),
    severity: get('pri'),
    source: {
      ...endOf(get('src')),
      natAddress: natSource.address,
      natPort: natSource.port,
      mac: get('srcMac'),
      bytes: get('sent'),
      packets: get('spkt'),
      zone: get('srcZone'),
    },
    destination: {
      ...endOf(get('dst')),
      natAddress: natDestination.address,
      natPort: natDestination.port,
      mac: get('dstMac'),
      bytes: get('rcvd'),
      packets: get('rpkt'),
      zone: get('dstZone'),
    },
    transport: get('proto'),
    protocol: get('proto')?.split('/')[1],
    application: get('appName') ?? get('app'),
    rule: { id: get('sid'), name: get('rule')?.replace(/^\d+ \((.*)\)$/, '$1'), category: get('Category') ?? get('ipscat') },
    user: get('user') ?? get('usr'),
    url: get('arg') === undefined ? undefined : `${get('dstname') ?? ''}${get('arg')}`,
    domain: get('dstname'),
    message: get('msg'),
  };
}

/** `10.0.0.7:50211:X0`, also with a name behind. */
function endOf(value: string | undefined): End {
  if (value === undefined) return {};
  const parts = value.split(':');
  // An IPv6 address has more colons than its port and interface.
  if (parts.length > 4) return { address: value };
  return { address: parts[0], port: parts[1] };
}
