/** Several Windows events in one text. */
import { expect, test } from 'vitest';
import type { Arrival, Document } from '../../event.ts';
import { read } from '../doc.ts';
import { normalise } from '../normalise.ts';
import { separateEvents } from './several.ts';

const xml = (id: number, value = '') =>
  `<Event xmlns='http://schemas.microsoft.com/win/2004/08/events/event'><System><Provider Name='Microsoft-Windows-Security-Auditing'/><EventID>${id}</EventID><Channel>Security</Channel><Computer>ws1</Computer></System><EventData><Data Name='TargetUserName'>${value}</Data></EventData></Event>`;
const arrival = (raw: Arrival['raw'], documentId?: string): Arrival => ({ raw, index: 'logs', documentId });
const separate = (document: Document): Document[] | undefined =>
  separateEvents(arrival(document))?.map(({ raw }) => (typeof raw === 'string' ? JSON.parse(raw) : raw));
const messages = (message: string) => separate({ message })?.map((document) => document.message);
const rest = '<Event><System></Event>';

test.each<[string, string, string[]]>([
  ['one behind the other', xml(1) + xml(2), [xml(1), xml(2)]],
  ['over lines, with commas and declarations', `${xml(1)}\n,\n<?xml version='1.0'?>\r\n${xml(2)}\n`, [xml(1), xml(2)]],
  ['an export', `\ufeff<?xml version="1.0"?>\n<Events>${xml(1)}\n${xml(2)}</Events>\n`, [xml(1), xml(2)]],
  ['exports one behind the other', `<Events>${xml(1)}</Events><Events>${xml(2)}</Events>`, [xml(1), xml(2)]],
  ['an export of one', `<Events>${xml(1)}</Events>`, [xml(1)]],
  ['text behind the last', `${xml(1)}${xml(2)} and more`, [xml(1), `${xml(2)}and more`]],
  ['one that is not well-formed', `${xml(1)}${rest}${xml(2)}`, [xml(1), `${rest}${xml(2)}`]],
  ['text between two', `${xml(1)} then ${xml(2)}`, [xml(1), `then ${xml(2)}`]],
])('separates %s', (_title, text, expected) => expect(messages(text)).toEqual(expected));

test('takes no event out of a value', () => {
  const literal = `<Event><System><EventID>1</EventID></System><EventData><Data><![CDATA[</Event>${xml(4625)}]]></Data></EventData></Event>`;
  expect(messages(literal + xml(2))).toEqual([literal, xml(2)]);
  expect(messages(xml(1, xml(4625).replaceAll('<', '&lt;')) + xml(2))).toHaveLength(2);
});

test.each<[string, Document]>([
  ['one event', { message: xml(1) }],
  ['a text before the first', { message: `a ${xml(1)}${xml(2)}` }],
  ['a line of a file', { message: xml(1) + xml(2), 'log.file.path': '/var/log/app.log' }],
  ['a line of syslog', { message: xml(1) + xml(2), log: { syslog: { priority: 13 } } }],
  ['a mapped record', { message: xml(1) + xml(2), event: { kind: 'event', module: 'crm', dataset: 'crm.events' } }],
  ['an event of Winlogbeat', { message: xml(1) + xml(2), winlog: { channel: 'Security', event_id: 4625 } }],
])('leaves %s whole', (_title, document) => {
  expect(separateEvents(arrival(document))).toBeUndefined();
  expect(separateEvents(arrival(JSON.stringify(document)))).toBeUndefined();
});

test('keeps the shipper’s fields and gives each event an id of its own', () => {
  const document = { '@timestamp': '2026-11-20T10:00:00Z', _raw: xml(1) + xml(2), host: 'collector' };
  const parts = separateEvents(arrival(JSON.stringify(document).replaceAll('<', '\\u003c').replaceAll('>', '\\u003e'), 'a'))!;
  expect(parts.map(({ documentId, index }) => ({ documentId, index }))).toEqual([
    { documentId: 'a', index: 'logs' },
    { documentId: 'a#1', index: 'logs' },
  ]);
  expect(parts.map(({ raw }) => JSON.parse(raw as string))).toEqual([
    { ...document, _raw: xml(1) },
    { ...document, _raw: xml(2) },
  ]);
  expect(separateEvents(arrival(document))!.map(({ documentId }) => documentId)).toEqual([undefined, undefined]);
});

test('repeats no original that is the whole text', () => {
  const message = xml(4624, 'ann') + xml(4625, 'bob');
  const [, second] = separate({ message, event: { original: message } })!;
  const { document } = normalise(second!, 0);
  expect(read(document, 'winlog.event_data')).toEqual({ TargetUserName: 'bob' });
  expect(read(document, 'event.original')).toBe(xml(4625, 'bob'));
});

test('leaves a text whole, and tags it, beside fields too long to be repeated', () => {
  const document = { message: xml(1).repeat(100), tags: ['own'], note: 'x'.repeat(10_000) };
  expect(separate(document)).toEqual([{ ...document, tags: ['own', 'windows-events-not-read'] }]);
});

test('stays quick and small for hostile texts', () => {
  const started = process.cpuUsage();
  for (const text of [
    '<Event>'.repeat(36_000) + '</Event>'.repeat(2),
    '<Event></Event>'.repeat(17_000),
    `<Event a='${' '.repeat(250_000)}</Event></Event>`,
    `<Event/>${'<?xml <Events '.repeat(18_000)}</Event></Event>`,
    `<Events${' '.repeat(250_000)}</Event></Event>`,
  ]) {
    const parts = separateEvents(arrival({ message: text, note: 'x'.repeat(1_000) })) ?? [];
    expect(JSON.stringify(parts).length).toBeLessThan(12 * 256 * 1024);
  }
  expect(process.cpuUsage(started).user / 1_000).toBeLessThan(2_000);
  const nested = `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)},"message":"</Event></Event>"}`;
  expect(separateEvents(arrival(nested))).toBeUndefined();
});
