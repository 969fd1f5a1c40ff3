/** What a tag dialog starts from and what it sends, apart from the drawing. */
import type { Tag } from '@parapet/contract/tags.ts';

/** Whether all, some or none of the chosen devices have a tag. */
export type Holding = 'all' | 'some' | 'none';

interface Tagged {
  deviceTags: readonly Pick<Tag, 'id'>[];
}

export function holdingOf(tagId: number, devices: readonly Tagged[]): Holding {
  const holders = devices.filter((device) => device.deviceTags.some((tag) => tag.id === tagId)).length;
  if (holders === 0) return 'none';
  return holders === devices.length ? 'all' : 'some';
}

/** Tag → put on (true) or take off (false), where the user said so. */
export type Wishes = ReadonlyMap<number, boolean>;

/** Only what differs from how it is: a wish for what all have already is none. */
export function changesOf(wishes: Wishes, devices: readonly Tagged[]): { id: number; isDeleted: boolean }[] {
  return [...wishes].flatMap(([id, isOn]) => {
    const holding = holdingOf(id, devices);
    return (isOn ? holding === 'all' : holding === 'none') ? [] : [{ id, isDeleted: !isOn }];
  });
}

/** A tag's name as the same people would read it: two tags that differ only in case or spaces are one. */
export const sameName = (one: string, other: string) => plain(one) === plain(other);
const plain = (name: string) => name.trim().replace(/\s+/g, ' ').toLowerCase();
