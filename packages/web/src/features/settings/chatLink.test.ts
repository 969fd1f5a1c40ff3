import { describe, expect, test } from 'vitest';
import { chatLinkIn } from './chatLink.ts';

const tokenOf = (value: unknown) => `${Buffer.from(JSON.stringify(value)).toString('base64url')}.signature`;

describe('chatLinkIn', () => {
  test('returns the names of a link', () => {
    const link = { kind: 'slack', workspace: 'T1', name: 'Zoë >?~' };
    expect(chatLinkIn(tokenOf({ ...link, until: 1 }))).toEqual(link);
  });
  test.each(['', 'x', '%%%', tokenOf(null), tokenOf({ kind: 'slack' }), tokenOf({ kind: 1, workspace: [], name: 'x' })])(
    'returns nothing for %j',
    (token) => expect(chatLinkIn(token)).toBeUndefined(),
  );
});
