/** Last visited state of the alert list. */
import { createLastList } from '../../lib/lastList.ts';

export const lastAlerts = createLastList('alerts', 'alert');
