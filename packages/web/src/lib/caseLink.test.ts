import { afterEach, expect, test, vi } from 'vitest';
import { caseLink, caseLinkIn, receiveCaseLink } from './caseLink.ts';

const token = 'A'.repeat(43);

test('what the link carries', () => {
  expect(caseLinkIn({ pathname: '/emailCaseAction', search: `?caseID=7&action=benign&token=${token}` })).toEqual({
    caseId: '7',
    action: 'benign',
    token,
  });
  expect(caseLinkIn({ pathname: '/emailcaseaction/', search: '' })).toEqual({ caseId: '', action: '', token: '' });
});

test('other pages carry nothing', () => {
  for (const pathname of ['/', '/login', '/emailCaseActions', '/apps/emailCaseAction'])
    expect(caseLinkIn({ pathname, search: `?token=${token}` })).toBeUndefined();
});

test('parts beyond all measure are as if not there', () => {
  const search = `?caseID=${'9'.repeat(21)}&action=${'x'.repeat(41)}&token=${'y'.repeat(201)}`;
  expect(caseLinkIn({ pathname: '/emailCaseAction', search })).toEqual({ caseId: '', action: '', token: '' });
});

afterEach(() => vi.unstubAllGlobals());

test('the token leaves the address at once and is kept for the page', () => {
  const replaceState = vi.fn();
  vi.stubGlobal('location', { pathname: '/emailCaseAction', search: `?caseID=7&action=benign&token=${token}` });
  vi.stubGlobal('history', { state: null, replaceState });
  receiveCaseLink();
  expect(replaceState).toHaveBeenCalledExactlyOnceWith(null, '', '/emailCaseAction');
  expect(caseLink().token).toBe(token);
});

test('the address of another page is left alone', () => {
  const replaceState = vi.fn();
  vi.stubGlobal('location', { pathname: '/apps/alerts', search: '?text=a' });
  vi.stubGlobal('history', { state: null, replaceState });
  receiveCaseLink();
  expect(replaceState).not.toHaveBeenCalled();
});
