/** Renders a note or narrative: text, lists, code and safe links, never markup. */
import { styled } from '@mui/material/styles';
import { useMemo } from 'react';
import { MonoText } from '../../../kit/Mono.tsx';
import { palette } from '../../../kit/palette.ts';
import { monoFamily } from '../../../kit/plain.styles.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { blocksOf, type Inline } from '../noteFormat.ts';

const Body = styled('div')({
  fontSize: 14,
  lineHeight: '22px',
  maxWidth: '84ch',
  overflowWrap: 'anywhere',
  '& > *': { margin: '0 0 8px' },
  '& > :last-child': { marginBottom: 0 },
  '& ul': { paddingLeft: 20, listStyle: 'disc' },
  '& code': { padding: '1px 4px', borderRadius: 4, backgroundColor: palette.action.hover },
  '& pre': {
    padding: '8px 12px',
    borderRadius: 6,
    border: `1px solid ${palette.divider}`,
    fontFamily: monoFamily,
    fontSize: 13,
    lineHeight: '20px',
    whiteSpace: 'pre-wrap',
  },
  '& a': { color: palette.primary.main },
});

export function NoteText({ text }: { text: string }) {
  const blocks = useMemo(() => blocksOf(text), [text]);
  return (
    <Body>
      {blocks.map((block, index) => {
        const key = `${block.kind}${index}`;
        if (block.kind === 'code')
          return (
            <pre key={key}>
              <VisibleText text={block.text} keepLines />
            </pre>
          );
        if (block.kind === 'list')
          return (
            <ul key={key}>
              {block.items.map((item, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the items of an unchanging text have no other identity.
                <li key={at}>
                  <Inlines parts={item} />
                </li>
              ))}
            </ul>
          );
        return (
          <p key={key}>
            {block.lines.map((line, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: as above.
              <span key={at}>
                {at > 0 && <br />}
                <Inlines parts={line} />
              </span>
            ))}
          </p>
        );
      })}
    </Body>
  );
}

function Inlines({ parts }: { parts: readonly Inline[] }) {
  return parts.map((part, index) => {
    const key = `${part.kind}${index}`;
    if (part.kind === 'code')
      return (
        <MonoText key={key}>
          <VisibleText text={part.text} />
        </MonoText>
      );
    if (part.kind === 'link')
      return (
        <a key={key} href={part.href} target="_blank" rel="noopener noreferrer">
          {part.text}
        </a>
      );
    return <VisibleText key={key} text={part.text} />;
  });
}
