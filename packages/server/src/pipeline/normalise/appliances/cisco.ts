/** Cisco ASA and Firepower Threat Defense syslog messages, by number (Cisco's system log message guides; “Security Event Syslog Messages” for 43000x). */
import { type ApplianceFacts, type End, fieldsOf } from './facts.ts';

const mark = /%(ASA|FTD|PIX|NGIPS)-(?:\w{1,20}-)?(\d)-(\d{6}):\s*/;

/** True for a message with a mark near its beginning. */
export function isCisco(message: string): boolean {
  const at = message.indexOf('%');
  return at >= 0 && at < 160 && mark.test(message.slice(at, at + 60));
}

type Part = Partial<ApplianceFacts>;
const E = String.raw`(?:([\w.-]{1,64}|NP Identity Ifc):)?([\w.:-]{2,64})(?:\/(\w{1,16}))?(?:\s?\(([\w.:-]{2,64})\/(\w{1,16})\))?(?:\s?\(([^)\s]{1,100})\))?`;
const built = new RegExp(String.raw`^Built (inbound|outbound)? ?(\w{2,6}) connection \d+ for ${E} to ${E}`);
const torn = new RegExp(
  String.raw`^Teardown (\w{2,6}) connection \d+ for ${E} to ${E} duration \S{1,20} bytes (\d{1,20})(?: (.{1,100}))?`,
);
const denied = new RegExp(
  String.raw`^Deny (?:protocol )?(\w{1,10}) src ${E} dst ${E}(?: \(type \d+, code \d+\))?(?: by access-group "?([^"\s]{1,200}))?`,
);
const listed =
  /^access-list (\S{1,200}) (permitted|denied|est-allowed) (\S{1,10}) ([\w.-]{1,64})\/([\w.:]{2,64})\((\d{1,5})\)(?:\([^)]{0,100}\))? -> ([\w.-]{1,64})\/([\w.:]{2,64})\((\d{1,5})\)/;
const fromTo = /from ([\da-f.:]{2,45})(?:\/(\d{1,5}))? to (?:([\w.-]{1,64}):)?([\da-f.:]{2,45})(?:\/(\w{1,16}))?/i;

const end = (zone?: string, address?: string, port?: string, natAddress?: string, natPort?: string, user?: string): End => ({
  zone,
  address,
  port,
  natAddress: natAddress === address ? undefined : natAddress,
  natPort,
  user,
});
const allowed = { category: ['network'], type: ['connection', 'allowed'] };
const refused = { category: ['network'], type: ['connection', 'denied'], action: 'deny' };
const signIn = (isSuccess: boolean) => ({
  category: ['authentication'],
  type: ['start'],
  outcome: isSuccess ? ('success' as const) : ('failure' as const),
});

/** Number → reader of the text behind the mark; the first that returns facts counts. */
const readers: [RegExp, (text: string) => Part | undefined][] = [
  [/^3020(?:13|15|20|03)$/, readBuilt],
  [/^3020(?:14|16|21)$/, readTorn],
  [/^1060\d\d|1061(?:00|02|03)|7100\d\d$/, readDenied],
  [/^(?:113|605|611|716|722|109|308|502)\d{3}$/, readAccount],
  [/^11100[0-9]|111010$/, readCommand],
  [/^4300(?:01|02|03|04|05)$/, readFirepower],
];

export function readCisco(message: string): ApplianceFacts {
  const found = mark.exec(message);
  const [whole = '', product = 'ASA', severity, code = ''] = found ?? [];
  const text = message.slice((found?.index ?? 0) + whole.length).slice(0, 8_000);
  const isFirepower = product === 'FTD' || product === 'NGIPS';
  const base: ApplianceFacts = {
    vendor: 'Cisco',
    product: isFirepower ? 'Firepower' : 'ASA',
    dataset: isFirepower ? 'cisco.ftd' : 'cisco.asa',
    namespace: isFirepower ? 'cisco.ftd' : 'cisco.asa',
    category: ['network'],
    type: ['info'],
    code,
    severity,
    name: nameBefore(message.slice(0, found?.index ?? 0)),
    message: text,
  };
  const read = readers.find(([numbers]) => numbers.test(code))?.[1];
  return { ...base, ...read?.(text) };
}

/** `asa01 : ` before the mark. */
const nameBefore = (text: string): string | undefined => /(?:^|\s)([A-Za-z][\w.-]{1,100})\s*:?\s*$/.exec(text)?.[1];

function readBuilt(text: string): Part | undefined {
  const parts = built.exec(text);
  if (!parts) return undefined;
  const [, direction, transport] = parts;
  const one = end(...(parts.slice(3, 9) as string[]));
  const two = end(...(parts.slice(9, 15) as string[]));
  // "for" names the lower security level: the source of inbound connections, the destination of outbound ones.
  const [source, destination] = direction === 'outbound' ? [two, one] : [one, two];
  return {
    ...allowed,
    type: ['connection', 'start', 'allowed'],
    action: 'built',
    transport,
    source,
    destination,
    user: source.user,
  };
}

function readTorn(text: string): Part | undefined {
  const parts = torn.exec(text);
  if (!parts) return undefined;
  return {
    ...allowed,
    type: ['connection', 'end', 'allowed'],
    action: 'teardown',
    transport: parts[1],
    source: end(...(parts.slice(2, 8) as string[])),
    destination: { ...end(...(parts.slice(8, 14) as string[])), bytes: parts[14] },
    reason: parts[15]?.trim(),
  };
}

function readDenied(text: string): Part | undefined {
  const parts = denied.exec(text);
  if (parts)
    return {
      ...refused,
      transport: parts[1],
      source: end(...(parts.slice(2, 8) as string[])),
      destination: end(...(parts.slice(8, 14) as string[])),
      rule: { name: parts[14] },
    };
  const list = listed.exec(text);
  if (list) {
    const isRefused = list[2] === 'denied';
    return {
      ...(isRefused ? refused : { ...allowed, action: list[2] }),
      rule: { name: list[1] },
      transport: list[3],
      source: end(list[4], list[5], list[6]),
      destination: end(list[7], list[8], list[9]),
    };
  }
  const ends = fromTo.exec(text);
  if (!ends) return undefined;
  return {
    ...(/den(?:y|ied)|discard|drop/i.test(text) ? refused : allowed),
    transport: /\b(TCP|UDP|ICMP)\b/i.exec(text)?.[1],
    source: end(/on interface ([\w.-]{1,64})/.exec(text)?.[1], ends[1], ends[2]),
    destination: end(ends[3], ends[4], ends[5]),
  };
}

const nameIn = [
  /\bUname:? ?['"<]?([^'",>\s]{1,200})/i,
  /\buser(?:name)? ?[=:]? ?['"<]([^'">]{1,200})/i,
  /\buser(?:name)? ?[=:] ?([^,\s]{1,200})/i,
];
const addressIn = [
  /\buser IP = ([\da-f.:]{2,45})/i,
  /\bIP(?: address)?:? ?[=<]? ?([\da-f.:]{2,45})/i,
  /\bfrom ([\da-f.:]{2,45})/i,
];
const firstOf = (patterns: readonly RegExp[], text: string) =>
  patterns.map((pattern) => pattern.exec(text)?.[1]).find((found) => found !== undefined);

function readAccount(text: string): Part | undefined {
  const user = firstOf(nameIn, text);
  if (user === undefined) return undefined;
  const source = { address: firstOf(addressIn, text) };
  if (/disconnect|terminated|logged out|closed/i.test(text))
    return { category: ['authentication'], type: ['end'], action: 'disconnected', user, source };
  const isFailure = /reject|denied|fail|invalid|locked/i.test(text);
  return {
    ...signIn(!isFailure),
    action: isFailure ? 'login-denied' : 'login-permitted',
    user,
    source,
    reason: /\breason = ([^:]{1,100}?)\s*(?::|$)/.exec(text)?.[1],
  };
}

function readCommand(text: string): Part | undefined {
  const command = /executed (?:the )?'([^']{1,1000})'/.exec(text)?.[1];
  if (command === undefined) return undefined;
  return {
    category: ['configuration'],
    type: ['change'],
    action: 'command',
    user: /User '([^']{1,200})'/.exec(text)?.[1],
    source: { address: /from IP ([\da-f.:]{2,45})/i.exec(text)?.[1] },
    commandLine: command,
  };
}

/** Begins the next pair. Values may hold commas; four names hold spaces. */
const nextPair =
  /, (?=(?:[A-Z]\w{1,40}|originalClientSrcIP|Prefilter Policy|Tunnel or Prefilter Rule|Endpoint Profile|Security Group): )/;
/** In place of a user. */
const noUser = /^(?:No Authentication Required|Not Found|Unknown|Unavailable)$/i;

/** `Key: value, Key: value` of Firepower's connection, intrusion, file and malware events. */
function readFirepower(text: string): Part {
  const pairs = new Map(
    text.split(nextPair).flatMap((part) => {
      const colon = part.indexOf(': ');
      return colon > 0 ? [[part.slice(0, colon), part.slice(colon + 2)] as const] : [];
    }),
  );
  const get = (name: string) => pairs.get(name);
  const action = get('AccessControlRuleAction') ?? get('InlineResult') ?? get('FileAction');
  // “Would have dropped” lets pass.
  const isRefused = /^(?!would).*(?:block|drop|reset)/i.test(action ?? '');
  const isIntrusion = get('SID') !== undefined || get('IntrusionPolicy') !== undefined;
  const isMalware = get('ThreatName') !== undefined || get('SHA_Disposition') === 'Malware';
  return {
    fields: fieldsOf(pairs),
    category: [...(isMalware ? ['malware'] : isIntrusion ? ['intrusion_detection'] : []), 'network'],
    type: [isIntrusion || isMalware ? 'info' : 'connection', isRefused ? 'denied' : 'allowed'],
    action,
    source: {
      address: get('SrcIP'),
      port: get('SrcPort'),
      bytes: get('InitiatorBytes'),
      packets: get('InitiatorPackets'),
      zone: get('IngressZone') ?? get('IngressInterface'),
      natAddress: get('NAT_InitiatorIP'),
      natPort: get('NAT_InitiatorPort'),
    },
    destination: {
      address: get('DstIP'),
      port: get('DstPort'),
      bytes: get('ResponderBytes'),
      packets: get('ResponderPackets'),
      zone: get('EgressZone') ?? get('EgressInterface'),
      natAddress: get('NAT_ResponderIP'),
      natPort: get('NAT_ResponderPort'),
    },
    transport: get('Protocol'),
    protocol: get('ApplicationProtocol'),
    application: get('WebApplication') ?? get('Client'),
    rule: { id: get('SID'), name: get('Message') ?? get('AccessControlRuleName'), category: get('Classification') },
    user: noUser.test(get('User') ?? '') ? undefined : get('User'),
    url: get('URL') ?? get('URI') ?? get('HTTP_URI'),
    domain: get('HTTP_Hostname') ?? get('ReferencedHost'),
    userAgent: get('UserAgent'),
    file: { name: get('FileName'), hash: get('FileSHA256') },
    message: get('Message') ?? get('ThreatName') ?? get('AccessControlRuleReason'),
  };
}
