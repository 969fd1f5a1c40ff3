/** Options of a filter by person, with the number of rows of each. */
import { exact } from '../kit/numbers.ts';
import { VisibleText } from '../kit/VisibleText.tsx';

export const personOptions = (people: readonly { id: number; name: string; count: number }[] = []) =>
  people.map(({ id, name, count }) => ({
    value: id,
    text: name,
    label: (
      <span>
        <VisibleText text={name} /> ({exact(count)})
      </span>
    ),
  }));
