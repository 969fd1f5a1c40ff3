/** Leaves of a layout, as they are read event by event. */
import { byLayout, headPlaces, predicted, same } from './block.format.ts';
import type { DocumentParts } from './block.parts.ts';

export interface Leaf {
  place: number;
  /** The head that its value may repeat; -1 for none. */
  head: number;
  /** The leaf before it that its value may repeat; -1 for none. */
  source: number;
  /** Its value is the same in all events of the layout. */
  isFixed: boolean;
  /** Its value is a repeated one in all events. */
  isRepeated: boolean;
}

type Parts = Pick<DocumentParts, 'skeletons' | 'sources' | 'tables' | 'columnOf'>;

const lineFeed = 10;

/** @param counts of the values of each place */
export function leavesBy({ skeletons, sources, tables, columnOf }: Parts, counts: Uint32Array): (skeleton: number) => Leaf[] {
  const marks: (number | undefined)[] = [];
  /** The mark that all values of a place are; 0 for none. */
  const markOf = (place: number): number => {
    marks[place] ??= onlyMark(columnOf(place), counts[place]!);
    return marks[place];
  };
  const known: (Leaf[] | undefined)[] = [];
  const leavesOf = (places: readonly number[]): Leaf[] => {
    const last = new Map<number, number>();
    return places.map((place, leaf) => {
      const source = sources[place]! - 1;
      const from = last.get(source - headPlaces) ?? -1;
      last.set(place, leaf);
      const mark = markOf(place);
      return {
        place,
        head: source < headPlaces ? source : -1,
        source: from,
        isFixed: mark === predicted.charCodeAt(0) && tables[place]?.by === byLayout,
        isRepeated: mark === same.charCodeAt(0),
      };
    });
  };
  return (skeleton) => {
    known[skeleton] ??= leavesOf(skeletons[skeleton]!);
    return known[skeleton];
  };
}

function onlyMark(column: Buffer, count: number): number {
  const [mark = 0] = column;
  if (column.length !== 2 * count) return 0;
  for (let at = 0; at < column.length; at += 2) if (column[at] !== mark || column[at + 1] !== lineFeed) return 0;
  return mark;
}
