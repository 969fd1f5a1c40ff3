import type { AlertDetail } from '@parapet/contract/alerts.ts';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { WhatHappened } from './WhatHappened.tsx';

const textsOf = (alsoMatched: AlertDetail['alsoMatched']) => {
  const alert = { alertSummary: 'x', description: '', falsePositives: [], alsoMatched, events: [] } as unknown as AlertDetail;
  const page = renderToStaticMarkup(<WhatHappened alert={alert} />);
  return page
    .replace(/<style.*?<\/style>/g, '')
    .split(/<[^>]*>/)
    .filter((text) => text !== '');
};

test('lists the further rules of a folded alert with their severity', () => {
  expect(
    textsOf([
      { ruleID: 'a', rule: 'Shadow copies deleted', criticality: 'critical' },
      { ruleID: 'b', rule: 'Recovery switched off', criticality: 'medium' },
    ]),
  ).toEqual(['What happened', 'x', 'Also matched', 'Shadow copies deleted (critical)', 'Recovery switched off (medium)']);
});

test('omits the list where one rule matched', () => {
  expect(textsOf([])).toEqual(['What happened', 'x']);
});
