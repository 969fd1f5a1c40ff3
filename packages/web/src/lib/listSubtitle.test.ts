import { expect, it } from 'vitest';
import { listSubtitle, shortUser } from './listSubtitle.ts';

const portal = { client: 10, clientName: 'Alder', hasSelector: true, period: undefined, timeframe: 'thisMonth' as const };
it.each([
  [portal, 'Alerts for Alder · This Month'],
  [{ ...portal, client: 0, clientName: 'All' }, 'Alerts for all clients · This Month'],
  [{ ...portal, hasSelector: false }, 'Alerts · This Month'],
  [{ ...portal, clientName: '' }, 'Alerts · This Month'],
  [{ ...portal, period: '2026-11-06' }, 'Alerts for Alder · 6 November 2026'],
])('%j', (scope, text) => expect(listSubtitle('Alerts', scope)).toBe(text));

it.each([
  ['DOGWOOD\\erosenthal', 'erosenthal'],
  ['anna@alder.example', 'anna'],
  ['root', 'root'],
  ['@odd', '@odd'],
  ['ODD\\', 'ODD\\'],
])('%s is short %s', (name, short) => expect(shortUser(name)).toBe(short));
