/** Last visited state of the case list. */
import { createLastList } from '../../lib/lastList.ts';

export const { remember: rememberCases, last: lastCases, returned: caseToReturnTo } = createLastList('cases', 'case');
