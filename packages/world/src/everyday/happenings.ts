/** Everything that can happen on an ordinary day. */
import { accountHappenings } from './accounts.ts';
import { cloudHappenings } from './cloud.ts';
import type { Happening } from './happening.ts';
import { linuxHappenings } from './linux.ts';
import { perimeterHappenings } from './perimeter.ts';
import { programHappenings } from './programs.ts';

export const happenings: readonly Happening[] = [
  ...programHappenings,
  ...accountHappenings,
  ...linuxHappenings,
  ...cloudHappenings,
  ...perimeterHappenings,
];
