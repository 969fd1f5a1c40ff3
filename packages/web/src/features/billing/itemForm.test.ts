import type { BillingLine } from '@parapet/contract/billing.ts';
import { expect, test } from 'vitest';
import { chosenLines, valuesOf } from './itemForm.ts';

const line = (measure: BillingLine['measure'], itemId: string): BillingLine => ({
  measure,
  agreementId: '7',
  itemId,
  label: '',
  counted: 1,
  current: 1,
  isGone: false,
  newest: null,
});

test('keeps chosen items, and leaves out those that ended', () => {
  const values = valuesOf([line('servers', '71'), line('users', '79')], [{ id: '7', items: [{ id: '71' }] }]);
  expect(values).toMatchObject({ servers: '7/71', users: '', gigabytes: '' });
  expect(chosenLines(values)).toEqual([{ measure: 'servers', agreementId: '7', itemId: '71' }]);
});
