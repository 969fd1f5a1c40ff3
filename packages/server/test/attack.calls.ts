/** Requests of the attack scenarios: allowed ones, and denied ones that must leave no trace in stored data. */
import type { Endpoint, InputOf } from '@parapet/contract/endpoint.ts';
import { expect } from 'vitest';
import { type World, writesOf } from './access.fixture.ts';
import type { TestUser } from './app.ts';

export const callsOf = (worldOf: () => World) => ({
  async ok<E extends Endpoint>(endpoint: E, input: InputOf<E>, user: Pick<TestUser, 'token'>) {
    const answer = await worldOf().t.call(endpoint, input, user);
    expect(answer.statusCode, `${endpoint.id} ${answer.body}`).toBe(200);
    return answer;
  },
  /** Asserts one of these statuses and unchanged stored data. */
  async refused<E extends Endpoint>(endpoint: E, input: InputOf<E>, user: Pick<TestUser, 'token'>, ...statuses: number[]) {
    const before = await writesOf(worldOf());
    const answer = await worldOf().t.call(endpoint, input, user);
    expect(statuses, `${endpoint.id} ${answer.statusCode} ${answer.body}`).toContain(answer.statusCode);
    expect(await writesOf(worldOf())).toBe(before);
    return answer;
  },
});
