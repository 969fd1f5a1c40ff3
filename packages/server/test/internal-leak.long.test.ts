/**
 * Staff write a marked text through every call that takes internal text (texts.ts) and use every other call once; then everything readable by the
 * client is read with each role: calls, files, live streams, Sapphire’s replies, emails. None contains a mark or a name of the provider’s staff.
 * Staff do find the marks, and a planted leak is detected, so the absence is meaningful.
 */
import { endpoints } from '@parapet/contract/api.ts';
import { casesApi } from '@parapet/contract/cases.ts';
import type { Endpoint } from '@parapet/contract/endpoint.ts';
import { concludedInvestigations } from '@parapet/contract/rules/cases.ts';
import { sapphireApi } from '@parapet/contract/sapphire.ts';
import { socName } from '@parapet/contract/visibility.ts';
import type { LightMyRequestResponse } from 'fastify';
import { sql, type Updateable } from 'kysely';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { scoped, type Tx } from '../src/core/db/scope.ts';
import type { Tables } from '../src/core/db/tables.ts';
import { accessFixture, type Person, people, personas, places, type World } from './access.fixture.ts';
import { type Input, type Probe, range } from './access.probes.kinds.ts';
import { probes } from './access.probes.ts';
import { readable } from './readable.ts';
import { texts, textsOfCall, withText } from './texts.ts';

const surname = 'Zqsurname';
const mailbox = 'zqprovider';
const isNamed = (text: string): boolean => text.includes(surname) || text.toLowerCase().includes(mailbox);
const reader = 'reader@client.example';

const clients: Person[] = personas.filter((person) => people[person].home === 'client');
const partnerStaff: Person[] = ['partnerAdmin', 'partnerAnalyst'];
const writers = ['host', 'partnerAnalyst'] as const;
/** The role with the most permissions; responses of others’ changing calls come from the same code. */
const changing: readonly Person[] = ['clientAdmin', 'partnerAnalyst'];

// Ending sessions would break the other requests.
const probed = endpoints.filter(
  ({ id, allow, answers }) =>
    allow !== 'anyone' && answers !== 'events' && !['auth.logout', 'account.endOtherSessions'].includes(id),
);
const reads = new Set(['cases.list', 'reviews.list', 'rules.check', 'sapphire.loadingPhrases']);
/** Texts that must name existing objects. */
const unmarkable = new Set([
  'suppressions.create body.ruleID',
  'rules.saveDraft body.ruleID',
  'rules.saveOverride body.ruleID',
  'rules.addException body.ruleID',
  'rules.addTest body.ruleID',
  'rules.addTest body.document',
  'rules.startPreview body.change.ruleID',
  'rules.startPreview body.change.yaml',
  'rulePacks.download params.pack',
]);
/** A typed query is refused unless it is valid, and never stored. */
const isTypedQuery = (path: string) => /^(query|body\.filters?)\.query$/.test(path);
const internalTextsOf = (endpoint: Endpoint): string[] =>
  textsOfCall(endpoint).filter(
    (path) =>
      texts.get(`${endpoint.id} ${path}`) === 'internal' && !unmarkable.has(`${endpoint.id} ${path}`) && !isTypedQuery(path),
  );

/** Calls that store nothing, or only outside the crawl. */
const forgotten = new Set([
  'rules.check',
  'rules.startPreview',
  'caseGrouping.startPreview',
  // Branch and folder of an import that is never read.
  'rulePacks.fetch',
  // Of a pack without rules: read in the audit log only.
  'rulePacks.accept',
  'rulePacks.changeState',
  // Removes an override.
  'rules.saveOverride',
  'reviews.list',
  'cases.list',
  'sapphire.chat',
  'sapphire.feedback',
  'sapphire.insertKnowledge',
  'auth.updateUserData',
]);

/** Calls that name a person of the provider, who does not exist for others. */
const ofProvider = new Set(['cases.changeAnalyst', 'reviews.updateAnalyst']);

let world: World;
const system = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => scoped(world.t.db, 'system', work);
/** Mark → call that accepted it, for calls that store it. */
const marks = new Map<string, string>();
const streams: { person: Person; text: () => string }[] = [];
const end = new AbortController();

/** Extra input per call that makes the text internal or involves the provider’s staff. */
const overrides = (things: World['things']['client']): Record<string, object> => {
  const host = world.users.host.id;
  return {
    'organisations.updateEscalation': { escalationEmailAddresses: [{ id: 0, emailType: 'to', emailAddress: reader }] },
    'caseMails.sendCustom': { caseID: things.caseId, to: [reader], subject: 'Subject', text: 'Text' },
    'caseMails.sendEscalation': { caseID: things.caseId, caseNarrativeID: things.narrativeId },
    'caseMails.sendUpdate': { caseID: things.caseId, caseNarrativeID: things.narrativeId },
    'cases.saveNote': { caseID: things.caseId, text: '', isInternal: true },
    'cases.changeAnalyst': { caseID: things.caseId, analystUserAccountID: host },
    'reviews.updateAnalyst': { caseID: things.caseId, ID: things.reviewId, AnalystUserAccountID: host },
    'sapphire.reviewKnowledge': { state: 'rejected' },
    'cases.changeStatus': { incidentID: things.caseId, caseStatus: 'closed', closing: { resolution: 'benign' } },
    'bulk.cases': {
      which: { ids: [things.caseId], selectedClientOrganizationID: places.client, ...range },
      change: { do: 'status', caseStatus: 'investigating', closing: { resolution: 'benign' } },
    },
    'bulk.alerts': {
      which: { filters: {}, selectedClientOrganizationID: places.client, ...range },
      change: { do: 'suppress', reason: '', endTime: new Date(Date.now() + 86_400_000).toISOString() },
    },
  };
};

function send(endpoint: Endpoint, { params = {}, query = {}, body }: Input, token: string): Promise<LightMyRequestResponse> {
  const path = endpoint.path.replace(/:([A-Za-z]+)/g, (_whole, name: string) => encodeURIComponent(String(params[name])));
  return world.t.application.app.inject({
    method: endpoint.method,
    url: endpoint.prefix + path,
    query: Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)])),
    headers: { authorization: `Bearer ${token}`, ...(endpoint.upload && { 'content-type': endpoint.upload.types[0] }) },
    ...(endpoint.method !== 'GET' && { payload: endpoint.upload ? Buffer.from('none') : ((body ?? {}) as object) }),
  });
}

const inputFor = (endpoint: Endpoint, person: Person): Promise<Input> | Input =>
  (probes[endpoint.id] as Probe).input({ id: places.client, place: 'client', things: world.things.client, world, person });

/** The range extended to now, because new data is stamped with the current time. */
function upToNow(input: Input): Input {
  const later = (ms: number) => new Date(Date.now() + ms).toISOString();
  const [start] = [range.start, later(-86_400_000)].sort() as [string];
  const [end] = [range.end, later(86_400_000)].sort().reverse() as [string];
  return JSON.parse(JSON.stringify(input).replaceAll(range.start, start).replaceAll(range.end, end)) as Input;
}

interface Read {
  call: string;
  text: string;
}

/** Reads of one person that are under way at once. */
const readsAtOnce = 6;

async function readOf(call: string, endpoint: Endpoint, input: Input, token: string): Promise<Read> {
  const answer = await send(endpoint, input, token);
  // A read refused for load would hide what it contains.
  if (answer.statusCode === 429 || answer.statusCode === 503) throw new Error(`${call}: ${answer.body}`);
  return { call, text: readable(answer.rawPayload) };
}

/** A call with the probe’s input, and with the one about the caller’s own user. */
async function readsOf(endpoint: Endpoint, person: Person): Promise<Read[]> {
  const { token, id: userId } = world.users[person];
  const context = { id: places.client, place: 'client', things: world.things.client, world, person } as const;
  const mine = (probes[endpoint.id] as Probe).mine?.({ ...context, userId });
  // Long pages, so that nothing is left on a second page.
  const isLong = endpoint.method === 'GET' && 'pageSize' in (endpoint.query as unknown as { shape: object }).shape;
  const reads: Read[] = [];
  for (const input of [upToNow(await inputFor(endpoint, person)), mine])
    if (input) {
      const whole = isLong ? { ...input, query: { ...input.query, pageSize: 200 } } : input;
      reads.push(await readOf(endpoint.id, endpoint, whole, token));
    }
  return reads;
}

async function answerTo(clientRequest: string, person: Person): Promise<Read[]> {
  const body = { clientRequest, conversationUUID: crypto.randomUUID(), clientOrganizationID: places.client, userUtcOffset: 0 };
  const { call, text } = await readOf(`sapphire: ${clientRequest}`, sapphireApi.chat, { body }, world.users[person].token);
  // The question is echoed.
  return [{ call, text: marks.has(clientRequest) ? text.replaceAll(clientRequest, '') : text }];
}

/** All data this person can read about the client, by call. */
async function crawl(person: Person, isWriting = changing.includes(person)): Promise<Read[]> {
  const called = probed.filter(({ method, id }) => isWriting || method === 'GET' || reads.has(id));
  const isRead = ({ method }: Endpoint) => method === 'GET';
  const found: Read[] = [];
  const readAll = async (work: (() => Promise<Read[]>)[], atOnce: number) => {
    for (let i = 0; i < work.length; i += atOnce)
      found.push(...(await Promise.all(work.slice(i, i + atOnce).map((each) => each()))).flat());
  };
  const callsOf = (of: Endpoint[]) => of.map((endpoint) => () => readsOf(endpoint, person));
  // Reads first: responses of writes may depend on the written data.
  await readAll(callsOf(called.filter(isRead)), readsAtOnce);
  await readAll(callsOf(called.filter((endpoint) => !isRead(endpoint))), 1);
  const caseId = world.things.client.caseId;
  const questions = [
    `Summarise case ${caseId}`,
    `What happened in case ${caseId}?`,
    `Who works on case ${caseId}?`,
    `What notes does case ${caseId} have?`,
    'Which cases are open, and who works on them?',
    'Which responses wait for approval?',
    'Which suppressions are there?',
    'Who wrote the audit log?',
    'When does the beacon of the provider light up?',
    ...[...marks.keys()].slice(0, 4),
  ];
  // Sapphire accepts 20 messages a minute; a refusal would hide what the response contains.
  await system((tx) => tx.deleteFrom('attempts').where('kind', '=', 'sapphire').execute());
  await readAll(
    questions.map((question) => () => answerTo(question, person)),
    readsAtOnce,
  );
  return found;
}

const leaksIn = (text: string): string[] => [
  ...[...marks].flatMap(([mark, call]) => (text.includes(mark) ? [call] : [])),
  ...(isNamed(text) ? ['a name of the provider’s staff'] : []),
];

async function write(): Promise<string[]> {
  const faults: string[] = [];
  let number = 0;
  for (const person of writers)
    for (const endpoint of probed.filter(({ method, id }) => method !== 'GET' || internalTextsOf(find(id)).length > 0)) {
      const paths = internalTextsOf(endpoint);
      const input = await inputFor(endpoint, person);
      const body = person === 'host' || !ofProvider.has(endpoint.id) ? overrides(world.things.client)[endpoint.id] : undefined;
      const mark = `zq7k${String(++number).padStart(4, '0')}x`;
      const whole = paths.reduce<object>((given, path) => withText(given, path, mark), body ? { ...input, body } : input);
      // Closing follows this status, and the calls after it need an open case.
      const isClosing = endpoint.id === 'cases.changeStatus';
      if (isClosing) await setCase({ status: 'investigating' });
      if (endpoint.id === 'reviews.markIncorrect') await setCase({ investigation_status: concludedInvestigations[0]! });
      const { statusCode, body: text } = await send(endpoint, whole, world.users[person].token);
      if (isClosing) await setCase({ status: 'investigating', closed_at: null });
      if ((paths.length === 0 && !body) || statusCode === 403) continue;
      if (statusCode >= 300) faults.push(`${person} ${endpoint.id}: ${statusCode} ${text}`);
      else if (endpoint.method !== 'GET' && paths.length > 0) marks.set(mark, endpoint.id);
    }
  return faults;
}
const find = (id: string): Endpoint => endpoints.find((endpoint) => endpoint.id === id)!;
const setCase = (set: Updateable<Tables['cases']>) =>
  system((tx) => tx.updateTable('cases').set(set).where('id', '=', world.things.client.caseId).execute());

async function listen(url: string, person: Person): Promise<void> {
  const token = world.users[person].token;
  for (const endpoint of endpoints.filter(({ answers, allow }) => answers === 'events' && allow !== 'anyone')) {
    const path = endpoint.path.replace(/:\w+/g, String(places.client));
    const answer = await fetch(url + endpoint.prefix + path, {
      headers: { authorization: `Bearer ${token}` },
      signal: end.signal,
    });
    let text = '';
    streams.push({ person, text: () => text });
    void (async () => {
      const decoder = new TextDecoder();
      for await (const part of answer.body!) text += decoder.decode(part, { stream: true });
    })().catch(() => undefined);
  }
}

let faults: string[] = [];
beforeAll(async () => {
  world = await accessFixture();
  await system(async (tx) => {
    await sql`update users set first_name = 'Zqfirst', last_name = ${surname}, email = ${mailbox} || id || '@provider.example'
      where organisation_id = 1`.execute(tx);
  });
  const url = await world.t.application.app.listen({ port: 0, host: '127.0.0.1' });
  await listen(url, 'analyst');
  // The client reads a shared note, an emailed narrative and approved knowledge of the provider’s staff.
  await world.t.call(
    casesApi.saveNote,
    { body: { caseID: world.things.client.caseId, text: 'Shared with you', isInternal: false } },
    world.users.host,
  );
  const knowledge = 'The beacon of the provider lights up at noon.';
  await world.t.call(
    sapphireApi.addKnowledge,
    { params: { client: places.provider }, body: { text: knowledge } },
    world.users.host,
  );
  faults = await write();
  // Once more, with the case assigned to provider staff at the end.
  for (const id of ['cases.changeAnalyst', 'reviews.updateAnalyst', 'responseDesk.request', 'caseMails.sendUpdate'])
    await send(
      find(id),
      {
        ...(await inputFor(find(id), 'host')),
        ...(overrides(world.things.client)[id] && { body: overrides(world.things.client)[id] }),
      },
      world.users.host.token,
    );
}, 120_000);
afterAll(async () => {
  end.abort();
  await world.t.close();
});

test('classifies every text parameter as internal or shared', () => {
  const taken = endpoints.flatMap((endpoint) => textsOfCall(endpoint).map((path) => `${endpoint.id} ${path}`));
  expect(taken.filter((text) => !texts.has(text))).toEqual([]);
  expect([...texts.keys()].filter((text) => !taken.includes(text))).toEqual([]);
});

test('writes an internal text through every call that takes one', () => {
  expect(faults).toEqual([]);
  const wanted = probed
    .filter((endpoint) => endpoint.method !== 'GET' && internalTextsOf(endpoint).length > 0)
    .map(({ id }) => id);
  expect([...new Set(marks.values())].sort()).toEqual(wanted.sort());
});

test('shows staff the texts and their authors', async () => {
  const found = new Set<string>();
  let names = 0;
  for (const person of writers)
    for (const { text } of await crawl(person, false)) {
      for (const [mark, call] of marks) if (text.includes(mark)) found.add(call);
      if (person === 'host' && isNamed(text)) names++;
    }
  expect([...new Set(marks.values())].filter((call) => !found.has(call) && !forgotten.has(call))).toEqual([]);
  expect(names).toBeGreaterThan(10);
}, 120_000);

describe.each(clients)('%s of the client', (person) => {
  test('reads nothing internal and no name of the provider’s staff', async () => {
    const leaks: string[] = [];
    let isCalledSoc = false;
    for (const { call, text } of await crawl(person)) {
      leaks.push(...leaksIn(text).map((leak) => `${call}: ${leak}`));
      isCalledSoc ||= text.includes(socName);
    }
    expect([...new Set(leaks)]).toEqual([]);
    expect(isCalledSoc).toBe(people[person].role !== '');
  }, 120_000);
});

test.each(partnerStaff)(
  '%s reads no name of the provider’s staff',
  async (person) => {
    const leaks: string[] = [];
    for (const { call, text } of await crawl(person)) if (isNamed(text)) leaks.push(call);
    expect([...new Set(leaks)]).toEqual([]);
  },
  120_000,
);

test('sends no internal text in emails to the client', async () => {
  const mails = await system((tx) =>
    sql<{ kind: string; text: string }>`
      select kind, concat_ws(' ', from_name, from_address, subject, text, html) as text from mails
      where exists (select from unnest(to_addresses || cc_addresses) a
        where a = ${reader} or a in (select email from users where organisation_id = ${places.client}))`.execute(tx),
  );
  expect(new Set(mails.rows.map(({ kind }) => kind))).toContain('case.custom');
  expect(mails.rows.flatMap(({ kind, text }) => leaksIn(text).map((leak) => `${kind}: ${leak}`))).toEqual([]);
});

test('sends no internal text in the client’s live streams', async () => {
  await vi.waitFor(() => expect(streams.map(({ text }) => text()).join('')).toContain('"caseID"'), { timeout: 5_000 });
  expect(streams.flatMap(({ text }) => leaksIn(text()))).toEqual([]);
});

test('detects a planted leak', async () => {
  const mark = 'zq7k9999x';
  marks.set(mark, 'planted');
  await system(async (tx) => {
    const of = { organisation_id: places.client, case_id: world.things.client.caseId };
    const note = {
      ...of,
      text: mark,
      is_internal: false,
      author_user_id: world.users.host.id,
      author_name: 'Z.',
      created_at: new Date(),
      changed_at: null,
    };
    await tx.insertInto('case_notes').values(note).execute();
    const entry = {
      organisation_id: places.client,
      action: 'case.noteSaved',
      after: JSON.stringify({ text: mark }),
      before: null,
      visibility: 'client' as const,
    };
    await tx.insertInto('audit').values(entry).execute();
    // A name inside free text, which no rule covers.
    await tx
      .updateTable('cases')
      .set({ summary: `Ask ${surname}` })
      .where('id', '=', of.case_id)
      .execute();
  });
  const found = new Set<string>();
  for (const { call, text } of await crawl('clientAdmin')) for (const leak of leaksIn(text)) found.add(`${call}: ${leak}`);
  for (const call of ['cases.detail', 'cases.exportJson', 'cases.exportPdf', 'audit.list', 'audit.exportList'])
    expect([...found]).toContain(`${call}: planted`);
  expect([...found]).toContain('cases.detail: a name of the provider’s staff');
}, 120_000);
