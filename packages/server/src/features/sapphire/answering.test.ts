import type { Query } from '@parapet/contract/rules/query.ts';
import { expect, test } from 'vitest';
import type { Actor } from '../../core/http/actor.ts';
import { shownTo } from './answering.ts';

test('offers no question that reads what the viewer may not, at its top or within, and none if all do', () => {
  const actor = { role: 'Administrator', isPartner: false, organisationId: 5, organisationIds: [5] } as unknown as Actor;
  const plain: Query = { entity: 'device', measure: { kind: 'list' } };
  const top: Query = { entity: 'review', measure: { kind: 'list' } };
  const within: Query = { ...plain, where: { not: { some: 'review' } } };
  expect(shownTo(actor, [[top], [plain], [within], [plain, within]])).toEqual([[plain]]);
  expect(shownTo(actor, [[top], [within]])).toEqual([]);
});
