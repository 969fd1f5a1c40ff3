/** The list of cases as its reader left it. */
import { createLastList } from '../../lib/lastList.ts';

export const { remember: rememberCases, last: lastCases, returned: caseToReturnTo } = createLastList('cases', 'case');
