/**
 * Values of an event out of its rendered message, for shippers that send nothing else of it: NXLog for the data of WMI and remote
 * desktop, whose events have their values in `UserData`, and for the classic log of PowerShell, which names none. English messages only.
 */
import type { Document } from '../../event.ts';
import { setOwn } from '../doc.ts';

const maxLines = 200;
const longestLine = 32_000;
const longestMessage = 64_000;

/** `Process Create:\nImage: C:\…\nUser: …`; the first line of a value only. */
export function namedInMessage(message: unknown): Document {
  const data: Document = {};
  if (typeof message !== 'string') return data;
  for (const line of message.split('\n', maxLines)) {
    const [, name, value] = /^([A-Z][A-Za-z]{1,40}): (.*)$/.exec(line.slice(0, longestLine).trim()) ?? [];
    if (name !== undefined && value) setOwn(data, name, value);
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

/** State or command first, the details last, as the event has them. */
function classicValues(message: string): Document {
  const command = /^Pipeline execution details for command line: ([\s\S]*?)\.?\s*\n\s*\nContext Information:/.exec(message)?.[1];
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
