/**
 * ArcSight Common Event Format and IBM LEEF 1.0 and 2.0, whatever product writes them. Sources: "Implementing ArcSight Common Event Format", version 25;
 * IBM, "LEEF event components" and "Predefined LEEF event attributes".
 */
import { type ApplianceFacts, type End, fieldsOf, verdictType } from './facts.ts';

export const isCef = (message: string): boolean => /^CEF: ?\d/.test(message);
export const isLeef = (message: string): boolean => /^LEEF: ?[12]/.test(message);

/** Header fields of CEF, unescaped, and the extension behind them. */
function cefHeader(message: string): [string[], string] {
  const parts: string[] = [];
  let part = '';
  let at = message.indexOf(':') + 1;
  for (; at < message.length && parts.length < 7; at++) {
    const char = message[at];
    if (char === '\\' && (message[at + 1] === '|' || message[at + 1] === '\\')) part += message[++at];
    else if (char === '|') {
      parts.push(part);
      part = '';
    } else part += char;
  }
  return [parts, message.slice(at)];
}

const key = /(?:^|\s)([A-Za-z][\w.[\]-]{0,63})=/g;

/** Pairs of an extension: a value ends where the next name begins. */
function extensionOf(text: string): Map<string, string> {
  const pairs = new Map<string, string>();
  let name: string | undefined;
  let from = 0;
  for (const found of text.matchAll(key)) {
    if (pairs.size >= 300) break;
    if (name !== undefined) pairs.set(name, unescaped(text.slice(from, found.index)));
    name = found[1];
    from = found.index + found[0].length;
  }
  if (name !== undefined) pairs.set(name, unescaped(text.slice(from)));
  // `cs1=value cs1Label=Rule` becomes `Rule=value`.
  for (const [label, value] of [...pairs]) {
    const custom = /^(\w{1,60})Label$/.exec(label)?.[1];
    const held = custom === undefined ? undefined : pairs.get(custom);
    if (custom === undefined || held === undefined || value === '') continue;
    pairs.delete(label);
    pairs.delete(custom);
    if (!pairs.has(value)) pairs.set(value, held);
  }
  return pairs;
}

const unescaped = (value: string): string =>
  value.trim().replace(/\\([\\=|nr])/g, (_whole, char: string) => (char === 'n' || char === 'r' ? '\n' : char));

/**
 * `in` counts bytes from source to destination. The published maps of Fortinet and of Palo Alto's logging service (product LF, other than its firewalls)
 * have it the other way round. Assumed, not documented, for Check Point: its Log Exporter's map is not public, and one third-party reference, which was
 * not checked against a device, takes `in` from received_bytes.
 */
const isReversed = (vendor: string, product: string): boolean =>
  /^(?:fortinet|check point)$/i.test(vendor) || (/^palo alto networks$/i.test(vendor) && product === 'LF');

export function readCef(message: string): ApplianceFacts {
  const [[, vendor = '', product = '', version, code, name = '', severity], extension] = cefHeader(message);
  const pairs = extensionOf(extension);
  const get = (...names: string[]) => names.map((one) => pairs.get(one)).find((value) => value !== undefined && value !== '');
  const action = get('act', 'deviceAction');
  const [inward, outward] = [get('in', 'bytesIn'), get('out', 'bytesOut')];
  const [sent, received] = isReversed(vendor, product) ? [outward, inward] : [inward, outward];
  return {
    ...headOf(vendor, product, 'cef'),
    fields: fieldsOf(pairs),
    version,
    code,
    severity: severityOf(severity),
    name: get('dvchost', 'deviceHostName', 'dvc'),
    serial: get('deviceExternalId'),
    times: [get('rt', 'deviceReceiptTime'), get('end'), get('start')],
    ...kindOf(`${name} ${get('cat') ?? ''}`, action, get('outcome', 'categoryOutcome'), Boolean(get('src') && get('dst'))),
    action: action ?? name.slice(0, 200),
    reason: get('reason'),
    source: {
      address: get('src', 'c6a2', 'shost'),
      port: get('spt'),
      natAddress: get('sourceTranslatedAddress'),
      natPort: get('sourceTranslatedPort'),
      mac: get('smac'),
      user: get('suser'),
      bytes: sent,
      zone: get('deviceInboundInterface', 'sourceZoneURI'),
    },
    destination: {
      address: get('dst', 'c6a3', 'dhost'),
      port: get('dpt'),
      natAddress: get('destinationTranslatedAddress'),
      natPort: get('destinationTranslatedPort'),
      mac: get('dmac'),
      user: get('duser'),
      bytes: received,
      zone: get('deviceOutboundInterface', 'destinationZoneURI'),
    },
    transport: get('proto', 'transportProtocol'),
    application: get('app', 'applicationProtocol'),
    rule: { id: code, name, category: get('cat', 'deviceEventCategory') },
    user: get('duser', 'suser'),
    url: get('request', 'requestUrl'),
    domain: get('destinationDnsDomain'),
    method: get('requestMethod'),
    userAgent: get('requestClientApplication'),
    file: { name: get('fname', 'fileName'), path: get('filePath'), hash: get('fileHash') },
    process: get('dproc', 'sproc', 'deviceProcessName'),
    message: get('msg', 'message') ?? name,
  };
}

export function readLeef(message: string): ApplianceFacts {
  const isSecond = /^LEEF: ?2/.test(message);
  const [head, vendor = '', product = '', version, code, ...rest] = message.split('|');
  // The delimiter may be left out; then a bar belongs to a value.
  const delimiter = isSecond && rest.length > 1 && isDelimiter.test(rest[0]!) ? delimiterOf(rest.shift()!) : '\t';
  const pairs = new Map<string, string>();
  for (const part of rest.join('|').split(delimiter)) {
    const equals = part.indexOf('=');
    if (equals > 0 && equals <= 64 && pairs.size < 300) pairs.set(part.slice(0, equals).trim(), part.slice(equals + 1).trim());
  }
  const get = (...names: string[]) => names.map((one) => pairs.get(one)).find((value) => value !== undefined && value !== '');
  const action = get('action', 'act');
  const session = sessionOf(get, `${code} ${get('cat') ?? ''}`);
  const end = (side: 'src' | 'dst'): End => ({
    address: get(side),
    port: get(`${side}Port`),
    natAddress: get(`${side}PostNAT`),
    natPort: get(`${side}PostNATPort`),
    mac: get(`${side}MAC`),
    bytes: get(`${side}Bytes`),
    packets: get(`${side}Packets`),
  });
  return {
    ...headOf(vendor, product, 'leef'),
    fields: fieldsOf([['header', head ?? ''] as const, ...pairs]),
    version,
    code,
    severity: get('sev'),
    name: get('devName', 'identHostName'),
    times: [get('devTime')],
    ...(session ?? kindOf(`${code} ${get('cat') ?? ''}`, action, undefined, Boolean(get('src') && get('dst')))),
    action: action ?? code,
    reason: get('reason'),
    source: end('src'),
    destination: end('dst'),
    transport: get('proto'),
    application: get('app', 'application'),
    rule: { id: code, name: get('policy', 'rule', 'ruleName'), category: get('cat') },
    user: get('usrName', 'accountName'),
    url: get('url', 'resource'),
    file: { name: get('fileName', 'filename'), hash: get('fileHash', 'sha256', 'md5') },
    message: get('msg', 'message', 'reason'),
  };
}

const headOf = (vendor: string, product: string, format: 'cef' | 'leef') => ({
  vendor,
  product: product === '' ? vendor : product,
  dataset: `${format}.log`,
  namespace: `${format}.extensions`,
});

const isDelimiter = /^(?:.|0?x[\da-f]{2,4})?$/i;

/** A character, or its code as `x09` or `0x09`. */
function delimiterOf(text: string): string {
  const code = /^0?x([\da-f]{2,4})$/i.exec(text)?.[1];
  return code !== undefined ? String.fromCharCode(Number.parseInt(code, 16)) : text === '' ? '\t' : text;
}

/** Kind of an event that LEEF marks as the begin or the end of a session. */
function sessionOf(get: (name: string) => string | undefined, words: string) {
  const isMarked = (name: string) => get(name)?.toLowerCase() === 'true';
  const category = ['authentication'];
  if (isMarked('isLogoutEvent')) return { category, type: ['end'] };
  const outcome = failure.test(words) ? ('failure' as const) : ('success' as const);
  return isMarked('isLoginEvent') ? { category, type: ['start'], outcome } : undefined;
}

/** CEF's severity is 0 to 10 or a word. */
function severityOf(value: string | undefined): string | undefined {
  const words: Record<string, string> = { unknown: '0', low: '3', medium: '6', high: '8', 'very-high': '10' };
  return value === undefined ? undefined : (words[value.toLowerCase()] ?? value);
}

const failure = /fail|denied|invalid|rejected|locked/i;

function kindOf(
  words: string,
  action: string | undefined,
  outcome: string | undefined,
  isFlow: boolean,
): Pick<ApplianceFacts, 'category' | 'type' | 'outcome'> {
  const verdict = verdictType(action);
  const type = verdict ? [verdict] : [];
  const isFailure = failure.test(`${words} ${outcome ?? ''}`);
  if (/\b(?:log(?:ged)?[ _-]?[io]n|log(?:ged)?[ _-]?on|sign[ _-]?in|authenticat\w*|vpn)\b/i.test(words))
    return { category: ['authentication'], type: ['start', ...type], outcome: isFailure ? 'failure' : 'success' };
  if (/\b(?:virus|malware|trojan|ransom\w*|spyware|antivirus)\b/i.test(words))
    return { category: ['malware'], type: ['info', ...type] };
  if (/\b(?:ips|ids|intrusion|exploit|attack|signature|threat)\b/i.test(words))
    return { category: ['intrusion_detection', ...(isFlow ? ['network'] : [])], type: ['info', ...type] };
  if (isFlow) return { category: ['network'], type: ['connection', ...type] };
  return { category: [], type: ['info', ...type] };
}
