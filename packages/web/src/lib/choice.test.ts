import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { choice, choiceFor, forgetChoice, keepChoice, readChoice } from './choice.ts';

const jar = { cookie: '' };
vi.stubGlobal('document', jar);
vi.stubGlobal('location', { protocol: 'http:' });
// Other files share this process.
afterAll(() => vi.unstubAllGlobals());
const host = { role: 'Host', isPartner: true, organisationId: 1 };
const manager = { role: 'Manager', isPartner: false, organisationId: 10 };

beforeEach(() => {
  jar.cookie = '';
  readChoice();
});

describe('choice', () => {
  test('starts with all clients and this month', () => {
    expect(choice.get()).toEqual({ client: '0', timeframe: 'thisMonth', month: undefined });
  });

  test('reads client and timeframe of the last visit', () => {
    jar.cookie = 'selectedClient=12; selectedTimeframe=thisWeek';
    readChoice();
    expect(choice.get()).toEqual({ client: '12', timeframe: 'thisWeek', month: undefined });
  });

  test.each(['selectedTimeframe=nonsense', 'selectedTimeframe='])('ignores %s', (cookie) => {
    jar.cookie = cookie;
    readChoice();
    expect(choice.get().timeframe).toBe('thisMonth');
  });

  test('writes a cookie only for what changes', () => {
    keepChoice({ client: '0', timeframe: 'thisMonth' });
    expect(jar.cookie).toBe('');
    keepChoice({ client: '12' });
    expect(jar.cookie).toContain('selectedClient=12');
  });

  test('keeps the month of reports apart from the timeframe', () => {
    keepChoice({ month: 'March' });
    expect(jar.cookie).toBe('');
    expect(choice.get()).toMatchObject({ timeframe: 'thisMonth', month: 'March' });
    expect(choiceFor(host, 'UTC').month()).toBe('March');
    keepChoice({ timeframe: 'thisWeek' });
    expect(choice.get().month).toBeUndefined();
  });

  test('forgets the client with the session', () => {
    keepChoice({ client: '12' });
    forgetChoice();
    expect(jar.cookie).toContain('Max-Age=0');
  });
});

describe('choiceFor', () => {
  test('gives a client only to users with a client selector', () => {
    keepChoice({ client: '12' });
    expect(choiceFor(host, 'UTC').client).toBe(12);
    expect(choiceFor(manager, 'UTC')).toMatchObject({ client: undefined, ownId: 10 });
  });

  test('falls back to all clients for an unreadable cookie', () => {
    jar.cookie = 'selectedClient=x';
    readChoice();
    expect(choiceFor(host, 'UTC').client).toBe(0);
  });

  test('opens reports with the month of the timeframe, else the last full one', () => {
    vi.setSystemTime(new Date('2026-11-22T12:00:00Z'));
    keepChoice({ timeframe: 'May' });
    expect(choiceFor(host, 'UTC').month()).toBe('May');
    keepChoice({ timeframe: 'thisWeek' });
    expect(choiceFor(host, 'UTC').month()).toBe('October');
    vi.useRealTimers();
  });
});
