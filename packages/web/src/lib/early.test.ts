import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { createCall } from './call.ts';
import { createFetch } from './early.ts';
import { endpointDescriptors } from './endpointDescriptors.ts';

const script = readFileSync(join(import.meta.dirname, '../../public/scheme.js'), 'utf8');
const tokenUntil = (seconds: number) => `head.${Buffer.from(JSON.stringify({ exp: seconds })).toString('base64url')}.signature`;
const inAnHour = () => Math.floor(Date.now() / 1000) + 3600;

/** Requests of the script and of the calls after it, for a stored token. */
function start(token: string | null, respond: (address: string) => Promise<Response>) {
  const requests: string[] = [];
  const fetch = (address: string, init: RequestInit) => {
    requests.push(`${init.method} ${address}`);
    return respond(address);
  };
  const window: { early?: Map<string, Promise<Response>> } = {};
  const document = {
    querySelectorAll: () => [],
    documentElement: { setAttribute: () => {}, style: {} },
  };
  const localStorage = { getItem: (name: string) => (name === 'jwt_access_token' ? token : null) };
  runInNewContext(script, { window, document, fetch, localStorage, atob, matchMedia: () => ({ matches: false }) });
  const call = createCall({
    fetch: createFetch(fetch as typeof globalThis.fetch, window.early),
    tokens: { current: () => undefined, stored: () => undefined, adopt: () => {} },
    onInvalidToken: () => {},
    onStepUpNeeded: async () => false,
  });
  return { requests, call };
}

const json = async () => Response.json({ user: 'of the token', name: 'of the brand' });

describe('the calls of a start', () => {
  test('match the session’s and the brand’s own, and leave once', async () => {
    const token = tokenUntil(inAnHour());
    const { requests, call } = start(token, json);
    expect(requests).toEqual(['POST /api/v1/auth/access-token', 'GET /api/v1/brand']);
    expect(await call(endpointDescriptors.accessToken, { body: { accessToken: token } })).toMatchObject({ user: 'of the token' });
    await call(endpointDescriptors.brand, {});
    expect(requests).toHaveLength(2);
    await call(endpointDescriptors.brand, {});
    expect(requests).toHaveLength(3);
  });

  test('leave out the check of a token that has expired or is none', () => {
    for (const token of [tokenUntil(1), 'nonsense', null]) expect(start(token, json).requests).toEqual(['GET /api/v1/brand']);
  });

  test('leave a second time where they failed', async () => {
    let count = 0;
    const { requests, call } = start(null, async () => {
      if (count++ === 0) throw new TypeError('offline');
      return json();
    });
    expect(await call(endpointDescriptors.brand, {})).toMatchObject({ name: 'of the brand' });
    expect(requests).toHaveLength(2);
  });
});
