/** Splunk’s HTTP Event Collector as shippers use it: with Splunk’s responses after the commit. */
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { useTestApp } from '../../../test/app.ts';
import { eventRows } from '../../../test/storedEvents.ts';
import { scoped } from '../../core/db/scope.ts';

const t = useTestApp();
let organisation: number;
let key: string;

async function fresh(): Promise<void> {
  organisation = await t.organisation();
  key = await t.ingestKey(organisation);
}

const rows = () =>
  scoped(t.db, 'system', async (tx) => (await eventRows(tx, organisation)).toSorted((a, b) => (a.text < b.text ? -1 : 1)));
const deadLetters = () =>
  scoped(t.db, 'system', (tx) =>
    tx.selectFrom('dead_letters').selectAll().where('organisation_id', '=', organisation).orderBy('id').execute(),
  );
const post = (payload: string | Buffer, { path = '/event', headers = {} }: { path?: string; headers?: object } = {}) =>
  t.application.app.inject({
    method: 'POST',
    url: `/services/collector${path}`,
    headers: { authorization: `Splunk ${key}`, ...headers },
    payload,
  });
const success = { text: 'Success', code: 0 };
const now = () => Date.now() / 1000;
const texts = async () => (await rows()).map((row) => row.text);

describe('authentication', () => {
  test('accepts the key as Splunk token and as Basic password of any user', async () => {
    await fresh();
    const basic = Buffer.from(`x:${key}`).toString('base64');
    for (const authorization of [`Splunk ${key}`, `splunk ${key}`, `Basic ${basic}`]) {
      const answer = await post(JSON.stringify({ event: authorization.slice(0, 6) }), { headers: { authorization } });
      expect([answer.statusCode, answer.json()]).toEqual([200, success]);
    }
  });

  test('refuses as Splunk does, before the body', async () => {
    await fresh();
    const send = async (authorization: string | undefined, query = '') => {
      const headers = authorization === undefined ? {} : { authorization };
      const url = `/services/collector/event${query}`;
      const answer = await t.application.app.inject({ method: 'POST', url, headers, payload: '{"event":"x"}' });
      return [answer.statusCode, answer.json()];
    };
    expect(await send(undefined)).toEqual([401, { text: 'Token is required', code: 2 }]);
    expect(await send('Bearer x')).toEqual([401, { text: 'Invalid authorization', code: 3 }]);
    expect(await send(key)).toEqual([401, { text: 'Invalid authorization', code: 3 }]);
    expect(await send('Splunk pk_nonsense')).toEqual([403, { text: 'Invalid token', code: 4 }]);
    expect(await send(undefined, `?token=${key}`)).toEqual([
      400,
      { text: 'Query string authorization is not enabled', code: 16 },
    ]);
    expect(await rows()).toEqual([]);
  });
});

describe('events', () => {
  test('reads them concatenated, separated by newlines, and compressed', async () => {
    await fresh();
    const body = '{"event":"a}\\"{"}{"event":"b"}\n\n  {"event":"c"}\r\n{"event":"d"}';
    expect((await post(gzipSync(body), { headers: { 'content-encoding': 'gzip' } })).json()).toEqual(success);
    expect((await post('{"event":"e"}', { path: '' })).json()).toEqual(success);
    expect((await post('{"event":"f"}', { path: '/event/1.0' })).json()).toEqual(success);
    expect(await texts()).toEqual(['a}"{', 'b', 'c', 'd', 'e', 'f']);
  });

  test('keeps metadata: time with its decimals, host, source, sourcetype, index and fields', async () => {
    await fresh();
    const time = Math.floor(now()) + 0.123456;
    const metadata = { time, host: 'web01', source: '/var/log/app.log', sourcetype: 'app', index: 'main', fields: { team: 'x' } };
    expect((await post(JSON.stringify({ ...metadata, event: 'one' }))).json()).toEqual(success);
    const [row] = await rows();
    expect([row?.device_name, row?.at.getTime()]).toEqual(['web01', Math.floor(time * 1000)]);
    expect(row?.document).toMatchObject({
      '@timestamp': expect.stringMatching(/\.123456Z$/),
      message: 'one',
      host: { name: 'web01' },
      log: { file: { path: '/var/log/app.log' } },
      splunk: { source: '/var/log/app.log', sourcetype: 'app', index: 'main' },
      labels: { team: 'x' },
    });
  });

  test('normalises an object as fields, a syslog line as syslog, JSON in a text as fields', async () => {
    await fresh();
    const login = 'Failed password for root from 203.0.113.5 port 4242 ssh2';
    const line = `<38>${new Date().toISOString()} web01 sshd[99]: ${login}`;
    const object = {
      '@timestamp': new Date().toISOString(),
      host: { name: 'dc1' },
      winlog: { channel: 'Security', event_id: 4625 },
    };
    await post(`${JSON.stringify({ host: 'relay', event: line })}${JSON.stringify({ event: object, host: 'other' })}`);
    await post(JSON.stringify({ host: 'h', event: '{"event":{"action":"ran"},"n":5}' }));
    await post(JSON.stringify({ host: 'fw', event: 'a line without its header', sourcetype: 'pan:traffic' }));
    const stored = await rows();
    expect(stored.map(({ shape, device_name }) => [shape, device_name]).toSorted()).toEqual([
      ['ecs', 'h'],
      ['syslog', 'fw'],
      ['syslog', 'relay'],
      ['winlogbeat', 'dc1'],
    ]);
    expect(stored.find((row) => row.device_name === 'relay')?.document).toMatchObject({ source: { ip: '203.0.113.5' } });
  });

  test('reads connections of a firewall, whose name wins over the relay’s', async () => {
    await fresh();
    const line = `date=${new Date().toISOString().slice(0, 10)} devname="FGT-1" logid="0000000013" type="traffic" subtype="forward" srcip=10.0.0.1 srcport=50211 dstip=203.0.113.66 dstport=443 proto=6 action="deny"`;
    await post(JSON.stringify({ event: line, time: now(), host: 'relay', sourcetype: 'fgt_traffic' }));
    const [row] = await rows();
    expect([row?.shape, row?.device_name]).toEqual(['syslog', 'FGT-1']);
    expect(row?.document).toMatchObject({ source: { ip: '10.0.0.1' }, destination: { ip: '203.0.113.66', port: 443 } });
  });

  test('stores an event without a time twice when sent twice, with one once', async () => {
    await fresh();
    for (let i = 0; i < 2; i++) await post('{"event":"no time"}');
    const timed = JSON.stringify({ event: 'timed', time: now() });
    for (let i = 0; i < 2; i++) expect((await post(timed)).json()).toEqual(success);
    expect(await texts()).toEqual(['no time', 'no time', 'timed']);
  });
});

describe('invalid events', () => {
  test.each([
    ['', 5, undefined],
    [' \n ', 5, undefined],
    ['nonsense', 6, 0],
    ['{"event":"ok"}{"event":', 6, 1],
    ['{"event":"ok"}\n{"event" 1}\n{"event":"ok2"}', 6, 1],
    ['[{"event":"ok"}]', 6, 0],
    ['{"event":"ok"}{"host":"h"}', 12, 1],
    ['{"event":null}', 12, 0],
    ['{"event":""}{"event":"ok"}', 13, 0],
    ['{"event":{}}', 13, 0],
    ['{"event":"x","time":"yesterday"}', 6, 0],
    ['{"event":"x","time":{}}', 6, 0],
    ['{"event":"x","time":1e300}', 6, 0],
    ['{"event":"x","host":{"a":1}}', 6, 0],
    ['{"event":"x","fields":[1]}', 6, 0],
  ])('%j gives code %i', async (body, code, number) => {
    await fresh();
    const answer = await post(body);
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toEqual({
      text: { 5: 'No data', 6: 'Invalid data format', 12: 'Event field is required', 13: 'Event field cannot be blank' }[code],
      code,
      ...(number !== undefined && { 'invalid-event-number': number }),
    });
    // The valid ones are stored, the others kept.
    expect(await texts()).toEqual(
      [...body.matchAll(/"event":"(ok\d?)"/g)].map((match) => match[1]).filter(() => body[0] !== '['),
    );
    expect(await deadLetters()).toHaveLength(number === undefined ? 0 : 1);
  });

  test('keeps them whole as dead letters, with the events around them stored', async () => {
    await fresh();
    const deep = `{"event":${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}}`;
    const wide = JSON.stringify({ event: Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [`k${i}`, i])) });
    const long = JSON.stringify({ event: 'x'.repeat(300_000) });
    const answer = await post(`{"event":"first"}${deep}${wide}${long}{"event":"last"}`);
    expect([answer.statusCode, answer.json()]).toEqual([
      400,
      { text: 'Invalid data format', code: 6, 'invalid-event-number': 1 },
    ]);
    expect(await texts()).toEqual(['first', 'last']);
    const dead = await deadLetters();
    expect(dead.map(({ reason }) => reason)).toEqual(['too-deep', 'too-many-fields', 'too-large']);
    expect(dead[0]?.raw).toBe(deep);
  });
});

describe('raw', () => {
  test('reads lines with the metadata of the address; a channel is accepted', async () => {
    await fresh();
    const time = Math.floor(now());
    const path = `/raw?channel=4f2c&host=fw1&sourcetype=app&source=udp:514&time=${time}`;
    const answer = await post('one\r\n\ntwo\n{"a":{"b":1}}', { path, headers: { 'x-splunk-request-channel': '4f2c' } });
    expect([answer.statusCode, answer.json()]).toEqual([200, success]);
    const stored = await rows();
    expect(stored.map(({ text }) => text)).toEqual([expect.stringContaining('b'), 'one', 'two']);
    for (const { device_name, at } of stored) expect([device_name, at.getTime()]).toEqual(['fw1', time * 1000]);
    expect((await post('\n\n', { path: '/raw/1.0' })).json()).toEqual({ text: 'No data', code: 5 });
    expect((await post('x', { path: '/raw?time=soon' })).json()).toEqual({ text: 'Invalid data format', code: 6 });
  });
});

test('reports health without a key, offers no acknowledgement, and serves no page', async () => {
  await fresh();
  for (const url of ['/services/collector/health', '/services/collector/health/1.0?x=1']) {
    const answer = await t.application.app.inject({ url });
    expect([answer.statusCode, answer.json()]).toEqual([200, { text: 'HEC is healthy', code: 17 }]);
  }
  const acknowledgement = await post('{"acks":[0]}', { path: '/ack' });
  expect([acknowledgement.statusCode, acknowledgement.json()]).toEqual([400, { text: 'ACK is disabled', code: 14 }]);
  expect((await post('x', { path: '/nothing' })).statusCode).toBe(404);
});

describe('hostile input', () => {
  test('stores replacement characters for U+0000 and halves of pairs', async () => {
    await fresh();
    expect((await post('{"event":"a\\u0000b\\ud800c","__proto__":{"x":1}}')).json()).toEqual(success);
    expect(await texts()).toEqual(['a\ufffdb\ufffdc']);
  });

  test.each([
    ['50 MB', Buffer.alloc(50_000_000, 120), {}],
    ['a gzip bomb', gzipSync(Buffer.alloc(200_000_000)), { 'content-encoding': 'gzip' }],
    ['endless events', '{"event":1}'.repeat(100_001), {}],
  ])('%s is refused as too large', async (_what, payload, headers) => {
    await fresh();
    const answer = await post(payload, { headers });
    expect([answer.statusCode, answer.json()]).toEqual([413, { text: 'Request entity too large', code: 27 }]);
    expect(await rows()).toEqual([]);
  });

  test.each([
    ['an endless array', '['.repeat(5_000_000)],
    ['an object that never ends', '{"event":{"a":'.repeat(100_000)],
    ['a text that never ends', `{"event":"${'\\'.repeat(300_001)}`],
    ['bytes that are no text', Buffer.from([0xff, 0xfe, 0, 1, 2])],
    ['a broken archive', Buffer.from('no gzip')],
  ])('%s is refused as invalid', async (what, payload) => {
    await fresh();
    const headers = what === 'a broken archive' ? { 'content-encoding': 'gzip' } : {};
    const answer = await post(payload, { headers });
    expect([answer.statusCode, answer.json().code]).toEqual([400, 6]);
    expect((await post('{"event":"still here"}')).json()).toEqual(success);
  });
});
