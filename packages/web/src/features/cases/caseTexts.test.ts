import type { CaseDetail } from '@parapet/contract/caseDetail.ts';
import { expect, test } from 'vitest';
import { acknowledgeFault } from './caseTexts.ts';

const open = { acknowledgement: null, closedTime: null };
const faultOf = (info: object, write = true) =>
  acknowledgeFault({ caseGeneralInfo: { ...open, ...info }, can: { write } } as unknown as CaseDetail);

test('gives the reason why a case can’t be acknowledged', () => {
  expect(faultOf({})).toBeUndefined();
  expect(faultOf({}, false)).toContain('Your role');
  expect(faultOf({ closedTime: '2026-11-20T12:00:00Z' })).toContain('closed');
  expect(faultOf({ acknowledgement: { by: 'Ada\u202eevil' } })).not.toContain('\u202e');
  expect(faultOf({ acknowledgement: { by: '' } })).toContain('the portal');
});
