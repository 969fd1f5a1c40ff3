import type { Range } from './play.ts';

export async function playBenignDays(_range: Range, _days: number, _folder: string): Promise<number> {
  return 0;
}
