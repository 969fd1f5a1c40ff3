/** The list of alerts as its reader left it. */
import { createLastList } from '../../lib/lastList.ts';

export const {
  remember: rememberList,
  last: lastList,
  returned: alertToReturnTo,
  parse: parseLast,
} = createLastList('alerts', 'alert');
