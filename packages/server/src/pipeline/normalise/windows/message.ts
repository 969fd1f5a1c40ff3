/**
 * Values of an event out of its rendered message, for shippers that send nothing else of it: NXLog for the data of WMI and remote
 * desktop, whose events have their values in `UserData`, and for the classic log of PowerShell, which names none. English messages only.
 */
import type { Document } from '../../event.ts';
import { setOwn } from '../doc.ts';

const longestMessage = 64_000;
const maxValues = 100;

/** Values of Sysmon that hold whatever a program or a registry has, lines that look like other values included. */
const free: ReadonlySet<string> = new Set(['CommandLine', 'Details', 'Destination', 'Query', 'Contents', 'QueryResults']);

/** Values of Sysmon that may come behind one of those. */
const behindFree: ReadonlySet<string> = new Set(
  'CurrentDirectory User LogonGuid LogonId TerminalSessionId IntegrityLevel Hashes ParentProcessGuid ParentProcessId ParentImage ParentCommandLine ParentUser Image Archived Consumer Filter Destination'.split(
    ' ',
  ),
);

interface Line {
  name: string;
  text: string;
}

/** A label and its value; the line without a name if it begins with no label. */
function lineOf(text: string): Line {
  const cut = text.indexOf(':');
  const isLabel = cut > 1 && cut <= 41 && (cut + 1 === text.length || text[cut + 1] === ' ');
  const name = isLabel ? text.slice(0, cut) : '';
  return /^[A-Z][A-Za-z0-9]+$/.test(name) ? { name, text: text.slice(cut + 1).trim() } : { name: '', text };
}

/** Index of the last line with each name. */
const lastOf = (lines: readonly Line[]): Map<string, number> => new Map(lines.map(({ name }, at) => [name, at]));

/**
 * `Process Create:\nImage: C:\…\nUser: …`. A value may have several lines, and some of them may look like others: of equal labels the
 * first is taken before a command line, and the last behind it.
 */
export function namedInMessage(message: unknown): Document {
  const values = new Map<string, string[]>();
  if (typeof message !== 'string') return {};
  const lines = message.split('\n').map((line) => lineOf(line.replace(/\r$/, '')));
  const command = lines.findIndex(({ name }) => free.has(name));
  const last = lastOf(lines);
  const parent = last.get('ParentCommandLine') ?? lines.length;
  let open: string[] | undefined;
  for (const [at, { name, text }] of lines.entries()) {
    const isBehind = command >= 0 && at > command;
    const isOwn = isBehind
      ? behindFree.has(name) && last.get(name) === at && (at <= parent || name === 'ParentUser')
      : name !== '' && values.size < maxValues;
    if (isOwn && !values.has(name)) {
      open = [text];
      values.set(name, open);
    } else open?.push(name === '' ? text : `${name}: ${text}`);
  }
  const data: Document = {};
  for (const [name, parts] of values) {
    const value = parts.join('\n').trim();
    if (value !== '') setOwn(data, name, value);
  }
  return data;
}

/** Label in a message → name of the value. */
const wmiNames: Readonly<Record<string, string>> = {
  Namespace: 'Namespace',
  Eventfilter: 'ESS',
  Consumer: 'CONSUMER',
  NotificationQuery: 'Query',
  UserName: 'User',
  ClientProcessID: 'Processid',
};

/** `Namespace = …; Consumer = …; PossibleCause = …`, of which the last runs to the end. */
function wmiValues(message: string): Document {
  const data: Document = {};
  const labels = /(?:^|; |\. |\n)([A-Z][A-Za-z]{1,40}) = /g;
  const found = [...message.matchAll(labels)];
  for (const [index, { 1: label = '', 0: whole, index: at }] of found.entries()) {
    const isCause = label === 'PossibleCause';
    const end = isCause ? undefined : found[index + 1]?.index;
    setOwn(data, wmiNames[label] ?? label, message.slice(at + whole.length, end).trim());
    if (isCause) break;
  }
  if (data.Namespace !== undefined) data.NamespaceName = data.Namespace;
  const provider = /^(\S{1,200}) provider started/.exec(message)?.[1];
  if (provider !== undefined) data.ProviderName = provider;
  return data;
}

const valueAfter = (message: string, label: string): string | undefined => {
  const at = message.indexOf(`${label}: `);
  return at < 0
    ? undefined
    : message
        .slice(at + label.length + 2)
        .split('\n', 1)[0]!
        .trim();
};

function sessionValues(message: string, id: string | undefined): Document {
  const [user, address] = [valueAfter(message, 'User'), valueAfter(message, 'Source Network Address')];
  return id === '1149'
    ? { Param1: user, Param2: valueAfter(message, 'Domain'), Param3: address }
    : { User: user, SessionID: valueAfter(message, 'Session ID'), Address: address };
}

const pipeline = 'Pipeline execution details for command line: ';

/** State or command first, the details last, as the event has them. */
function classicValues(message: string): Document {
  const context = message.startsWith(pipeline) ? message.indexOf('\nContext Information:') : -1;
  const command = context < 0 ? undefined : message.slice(pipeline.length, context).trim().replace(/\.$/, '');
  if (command !== undefined)
    return { param1: command.trim(), param2: message, param3: message.slice(message.indexOf('Details:')) };
  const [, before, after] = /^Engine state is changed from (\w+) to (\w+)/.exec(message) ?? [];
  return { param1: after, param2: before, param3: message };
}

/** Values that an event’s message states; undefined for events whose messages are not read. */
export function valuesInMessage(provider: string | undefined, id: string | undefined, message: unknown): Document | undefined {
  if (typeof message !== 'string') return undefined;
  const text = message.slice(0, longestMessage).replaceAll('\r\n', '\n');
  if (provider === 'Microsoft-Windows-WMI-Activity') return wmiValues(text);
  if (provider?.startsWith('Microsoft-Windows-TerminalServices-')) return sessionValues(text, id);
  return provider === 'PowerShell' ? classicValues(text) : undefined;
}
