/** Texts of analysts’ time. */
import type { alertTime } from '@parapet/contract/analystTime.ts';
import { exact } from '@parapet/contract/rules/numbers.ts';
import type { z } from 'zod';

/** “45 min”, “2 h 30 min”, from 100 hours whole hours. */
export function minutesText(minutes: number): string {
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  if (hours === 0) return `${rest} min`;
  if (hours >= 100) return `${exact(Math.round(minutes / 60))} h`;
  return rest === 0 ? `${hours} h` : `${hours} h ${rest} min`;
}

/** A difference, with its basis. */
export function timeDifference(minutes: number, basis: string): string {
  const difference = minutes === 0 ? 'no difference' : `${minutesText(Math.abs(minutes))} ${minutes > 0 ? 'more' : 'less'}`;
  return `Analyst time: ${difference}, at ${basis}.`;
}

export const basisOf = ({ perAlert }: Pick<z.output<typeof alertTime>, 'perAlert'>): string => `${perAlert} min per alert`;
