import { afterEach, expect, test, vi } from 'vitest';
import { caseLink, caseLinkIn, receiveCaseLink } from './caseLink.ts';

const token = 'A'.repeat(43);

test('reads case, action and token', () => {
  expect(caseLinkIn({ pathname: '/emailCaseAction', search: `?caseID=7&action=benign&token=${token}` })).toEqual({
    caseId: '7',
    action: 'benign',
    token,
  });
  expect(caseLinkIn({ pathname: '/emailcaseaction/', search: '' })).toEqual({ caseId: '', action: '', token: '' });
});

test('ignores other pages', () => {
  for (const pathname of ['/', '/login', '/emailCaseActions', '/apps/emailCaseAction'])
    expect(caseLinkIn({ pathname, search: `?token=${token}` })).toBeUndefined();
});

test('ignores oversized parts', () => {
  const search = `?caseID=${'9'.repeat(21)}&action=${'x'.repeat(41)}&token=${'y'.repeat(201)}`;
  expect(caseLinkIn({ pathname: '/emailCaseAction', search })).toEqual({ caseId: '', action: '', token: '' });
});

afterEach(() => vi.unstubAllGlobals());

test('removes the token from the address and keeps it for the page', () => {
  const replaceState = vi.fn();
  vi.stubGlobal('location', { pathname: '/emailCaseAction', search: `?caseID=7&action=benign&token=${token}` });
  vi.stubGlobal('history', { state: null, replaceState });
  receiveCaseLink();
  expect(replaceState).toHaveBeenCalledExactlyOnceWith(null, '', '/emailCaseAction');
  expect(caseLink().token).toBe(token);
});

test('leaves other addresses unchanged', () => {
  const replaceState = vi.fn();
  vi.stubGlobal('location', { pathname: '/apps/alerts', search: '?text=a' });
  vi.stubGlobal('history', { state: null, replaceState });
  receiveCaseLink();
  expect(replaceState).not.toHaveBeenCalled();
});
