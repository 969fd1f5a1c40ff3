import { expect, it } from 'vitest';
import { lastAlerts } from './lastList.ts';

it.each([
  [null, undefined],
  ['{', undefined],
  ['null', undefined],
  ['{"address":"https://elsewhere.example"}', undefined],
  ['{"address":"//elsewhere.example/apps/alerts"}', undefined],
  ['{"address":"/apps/alertsnot"}', undefined],
  ['{"address":"/apps/alerts?severity=high","alert":"7"}', { address: '/apps/alerts?severity=high' }],
  ['{"address":"/apps/alerts/10?page=2","alert":7}', { address: '/apps/alerts/10?page=2', alert: 7 }],
])('%s', (text, last) => expect(lastAlerts.parse(text)).toEqual(last));
