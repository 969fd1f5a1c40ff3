/** All alert triggers of an ordinary day. */
import { accountTriggers } from './accounts.ts';
import type { AlertTrigger } from './alert-trigger.ts';
import { cloudTriggers } from './cloud.ts';
import { linuxTriggers } from './linux.ts';
import { perimeterTriggers } from './perimeter.ts';
import { programTriggers } from './programs.ts';

export const alertTriggers: readonly AlertTrigger[] = [
  ...programTriggers,
  ...accountTriggers,
  ...linuxTriggers,
  ...cloudTriggers,
  ...perimeterTriggers,
];
