/** Last visited state of the case list. */
import { createLastList } from '../../lib/lastList.ts';

export const lastCases = createLastList('cases', 'case');
