/** Decoded text with the names of its encodings, outermost first. The text is the sender’s: hidden characters are shown. */
import { styled } from '@mui/material/styles';
import { decode } from '@parapet/contract/rules/decode/decode.ts';
import { useMemo } from 'react';
import { Mono } from '../kit/Mono.tsx';
import { palette } from '../kit/palette.ts';

const Block = styled('figure')({
  margin: '8px 0 0',
  padding: '6px 10px 8px',
  minWidth: 0,
  maxHeight: 320,
  overflow: 'auto',
  borderLeft: `3px solid ${palette.primary.main}`,
  borderRadius: 4,
  backgroundColor: palette.action.hover,
  fontSize: 13,
  fontWeight: 400,
  '& figcaption': { marginBottom: 2, fontSize: 12, color: palette.text.secondary },
  '& figcaption b': { fontWeight: 600 },
  '@media print': { maxHeight: 'none' },
});

/** `Base64 ×3, gzip`: repeats of one encoding are counted. */
export function stepsText(steps: readonly string[]): string {
  const runs: { name: string; count: number }[] = [];
  for (const name of steps) {
    const last = runs.at(-1);
    if (last?.name === name) last.count++;
    else runs.push({ name, count: 1 });
  }
  return runs.map(({ name, count }) => (count === 1 ? name : `${name} ×${count}`)).join(', ');
}

export function DecodedText({ text }: { text: string }) {
  const decoded = useMemo(() => decode(text), [text]);
  if (!decoded) return null;
  return (
    // Long texts scroll, also by keyboard.
    <Block aria-label="Decoded" tabIndex={0}>
      <figcaption>
        <b>Decoded</b> · {stepsText(decoded.steps)}
        {decoded.isPartial && ' · Incomplete: limit reached'}
      </figcaption>
      <Mono text={decoded.text} keepLines copyLabel="Copy decoded text" />
    </Block>
  );
}
