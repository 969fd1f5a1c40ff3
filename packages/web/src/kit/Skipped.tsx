/** Skipped lines of an imported file with reasons, as the end of a sentence about the imported ones. */
import { styled } from '@mui/material/styles';
import { exact } from './numbers.ts';
import { VisibleText } from './VisibleText.tsx';

const Faults = styled('ul')({ margin: '6px 0 0', paddingLeft: 20, fontSize: 13, overflowWrap: 'anywhere' });

export function Skipped({ faults, count }: { faults: readonly string[]; count: number }) {
  if (count === 0) return null;
  return (
    <>
      {' '}
      {count === 1 ? 'One entry was' : `${exact(count)} entries were`} left out
      {faults.length < count ? '; why, for the first of them:' : ':'}
      <Faults>
        {faults.map((fault, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two entries may have the same fault.
          <li key={at}>
            <VisibleText text={fault} />
          </li>
        ))}
      </Faults>
    </>
  );
}
