/** State of the tag dialog: which selected devices carry a tag, and the changes to send. */
import type { Tag } from '@parapet/contract/tags.ts';

/** Share of the selected devices that carry a tag. */
export type Holding = 'all' | 'some' | 'none';

interface Tagged {
  deviceTags: readonly Pick<Tag, 'id'>[];
}

export function holdingOf(tagId: number, devices: readonly Tagged[]): Holding {
  const holders = devices.filter((device) => device.deviceTags.some((tag) => tag.id === tagId)).length;
  if (holders === 0) return 'none';
  return holders === devices.length ? 'all' : 'some';
}

/** Tag ID → add (true) or remove (false), for the tags that the user toggled. */
export type Toggles = ReadonlyMap<number, boolean>;

/** Toggles that change at least one device. */
export function changesOf(toggles: Toggles, devices: readonly Tagged[]): { id: number; isDeleted: boolean }[] {
  return [...toggles].flatMap(([id, isOn]) => {
    const holding = holdingOf(id, devices);
    return (isOn ? holding === 'all' : holding === 'none') ? [] : [{ id, isDeleted: !isOn }];
  });
}

/** Compares tag names regardless of case and whitespace. */
export const sameName = (one: string, other: string) => plain(one) === plain(other);
const plain = (name: string) => name.trim().replace(/\s+/g, ' ').toLowerCase();
