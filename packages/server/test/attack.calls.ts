/** How the attackers' stories call the server: what must be let in, and what must be refused without a trace in what is stored. */
import type { Endpoint, InputOf } from '@parapet/contract/endpoint.ts';
import { expect } from 'vitest';
import { fingerprint, type World } from './access.fixture.ts';
import type { TestUser } from './app.ts';

export const callsOf = (worldOf: () => World) => ({
  async ok<E extends Endpoint>(endpoint: E, input: InputOf<E>, user: Pick<TestUser, 'token'>) {
    const answer = await worldOf().t.call(endpoint, input, user);
    expect(answer.statusCode, `${endpoint.id} ${answer.body}`).toBe(200);
    return answer;
  },
  /** Refused with one of these, and nothing stored is another for it. */
  async refused<E extends Endpoint>(endpoint: E, input: InputOf<E>, user: Pick<TestUser, 'token'>, ...statuses: number[]) {
    const before = await fingerprint(worldOf());
    const answer = await worldOf().t.call(endpoint, input, user);
    expect(statuses, `${endpoint.id} ${answer.statusCode} ${answer.body}`).toContain(answer.statusCode);
    expect(await fingerprint(worldOf())).toBe(before);
    return answer;
  },
});
