/** Last visited state of the alert list. */
import { createLastList } from '../../lib/lastList.ts';

export const {
  remember: rememberList,
  last: lastList,
  returned: alertToReturnTo,
  parse: parseLast,
} = createLastList('alerts', 'alert');
