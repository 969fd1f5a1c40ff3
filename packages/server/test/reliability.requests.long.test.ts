/**
 * F7: hostile requests to every call, which are valid requests of the access probes with one to three places replaced. None leads to an error of
 * the server or shows the name of a foreign organisation. `HOSTILE_REQUESTS` is their number, `HOSTILE_SEED` makes another run.
 */
import { endpoints } from '@parapet/contract/api.ts';
import type { Endpoint } from '@parapet/contract/endpoint.ts';
import { randomFor } from '@parapet/world/random.ts';
import { expect, test } from 'vitest';
import { retrying } from '../src/core/db/failures.ts';
import { accessFixture, type Person } from './access.fixture.ts';
import type { Input } from './access.probes.kinds.ts';
import { probes } from './access.probes.ts';
import { hostileInput, hostileUrl, type Random } from './reliability.hostile.ts';
import { useFixture } from './use.ts';

const requests = Number(process.env.HOSTILE_REQUESTS ?? 2_000);
const seed = process.env.HOSTILE_SEED ?? '7';
const senders: readonly Person[] = ['host', 'partnerAdmin', 'clientAdmin', 'manager'];

/** Organisations of the fixture that none of these senders sees, the host aside. */
const foreign = /foreignClient|otherPartner|providerClient/;

const world = useFixture(accessFixture, (fixture) => fixture.t.close());

const token = 'A'.repeat(43);
/** Of calls without a sign-in. */
const open: Record<string, Input> = {
  'auth.register': { body: { firstName: 'Ada', lastName: 'Frost', email: 'ada@frost.example', company: 'Frost' } },
  'auth.authenticate': { body: { email: 'ada@frost.example', password: 'Ein-Langes-Wort-2026!' } },
  'auth.completeMfa': { body: { nonce: token, code: '123456' } },
  'auth.accessToken': { body: { accessToken: token } },
  'auth.singleSignOn': { query: { redirect_url: '/apps/dashboard' } },
  'auth.singleSignOnCallback': { query: { code: token, state: token } },
  'auth.forgotPassword': { params: { resetEmail: 'ada@frost.example' } },
  'auth.resetForm': { params: { token } },
  'auth.resetPassword': { body: { formData: { token, email: 'ada@frost.example' }, newPassword: 'Ein-Langes-Wort-2026!' } },
  'brand.get': {},
  'brand.manifest': {},
  'brand.image': { params: { subDomain: 'portal', file: 'logo' } },
  'users.picture': { params: { file: token }, query: { until: '1', signature: token } },
  'connectionInvites.open': { body: { token } },
  'connectionInvites.accept': { body: { token, values: {} } },
  'connectionInvites.consent': { body: { token } },
  'connectionInvites.consentCallback': { query: { code: token, state: token } },
  'caseMails.answerByLink': { body: { caseId: 1, action: 'authorized', token } },
  'caseMails.answerNeedsPress': { body: { token } },
  'mailSubscriptions.unsubscribe': { params: { token } },
};

// Streams stay open; these end the sender’s session or account.
const left = ['auth.logout', 'account.endSession', 'account.endOtherSessions', 'users.remove', 'users.changePassword'];
const probed = endpoints.filter(
  ({ id, allow, answers }) => answers !== 'events' && (allow === 'anyone' ? open[id] : probes[id]) && !left.includes(id),
);

const validInput = async (endpoint: Endpoint, person: Person): Promise<Input> =>
  open[endpoint.id] ??
  probes[endpoint.id]!.input({
    id: world.users[person].organisationId,
    place: 'client',
    things: world.things.client,
    world,
    person,
  });

/** Of one in fifty the last part is missing, or its bytes are no text. */
function payloadOf(endpoint: Endpoint, body: unknown, random: Random): Buffer {
  const text = Buffer.from(endpoint.upload ? String(body ?? '\0') : JSON.stringify(body ?? {}));
  if (!random.chance(0.02)) return text;
  return random.chance(0.5)
    ? text.subarray(0, random.int(0, text.length))
    : Buffer.concat([text, Buffer.from([0xff, 0xfe, 0x00])]);
}

function send(endpoint: Endpoint, input: Input, token: string, random: Random) {
  return world.t.application.app.inject({
    method: endpoint.method,
    url: hostileUrl(endpoint, input, random),
    headers: {
      authorization: `Bearer ${token}`,
      ...(endpoint.method !== 'GET' && { 'content-type': endpoint.upload ? endpoint.upload.types[0] : 'application/json' }),
    },
    ...(endpoint.method !== 'GET' && {
      payload: payloadOf(endpoint, input.body, random),
    }),
  });
}

/** 503: a part that the test has not, such as mail. */
const isFault = (person: Person, statusCode: number, body: string): boolean =>
  (statusCode >= 500 && statusCode !== 503) || (person !== 'host' && foreign.test(body));

test('covers every call but streams and those that end what others need', () => {
  const covered = new Set([...probed.map(({ id }) => id), ...left]);
  expect(endpoints.filter(({ id, answers }) => answers !== 'events' && !covered.has(id)).map(({ id }) => id)).toEqual([]);
});

test('notices a planted error of the server and a planted foreign name', () => {
  expect(isFault('manager', 500, '{}')).toBe(true);
  expect(isFault('manager', 200, '{"name":"otherPartner"}')).toBe(true);
  expect(isFault('host', 200, '{"name":"otherPartner"}')).toBe(false);
  expect(isFault('manager', 404, '{}')).toBe(false);
});

test('answers hostile requests to every call without an error of the server or a foreign name', {
  timeout: requests * 100 + 60_000,
}, async () => {
  const random = randomFor(seed, 'hostile requests');
  const failures: string[] = [];
  const statuses = new Map<number, number>();
  for (let index = 0; index < requests; index++) {
    const endpoint = probed[index % probed.length]!;
    const person = random.pick(senders);
    // A busy machine may not connect in time for the fixture’s own objects.
    const valid = await retrying(() => validInput(endpoint, person), { alsoWhenAway: true });
    const input = hostileInput(valid, random);
    const { statusCode, body } = await send(endpoint, input, world.users[person].token, random);
    statuses.set(statusCode, (statuses.get(statusCode) ?? 0) + 1);
    if (isFault(person, statusCode, body))
      failures.push(`${endpoint.id} ${person} ${statusCode} ${body.slice(0, 200)} ${JSON.stringify(input).slice(0, 600)}`);
  }
  const { statusCode } = await world.t.application.app.inject({ url: '/readyz' });
  const counts = [...statuses].sort(([one], [other]) => one - other).map(([status, count]) => `${count} × ${status}`);
  console.log(
    `F7, seed ${seed}: ${requests} requests to ${probed.length} calls: ${counts.join(', ')}; ${failures.length} faults`,
  );
  expect(failures.slice(0, 40), `seed ${seed}`).toEqual([]);
  expect(statusCode).toBe(200);
  // Most are refused, and not for one reason alone.
  expect(statuses.get(400) ?? 0, JSON.stringify([...statuses])).toBeGreaterThan(requests / 10);
  expect(statuses.get(200) ?? 0, JSON.stringify([...statuses])).toBeGreaterThan(requests / 50);
});
