/** Shell command with a copy button. */
import { styled } from '@mui/material/styles';
import { CopyButton } from '../../../kit/CopyButton.tsx';
import { palette } from '../../../kit/palette.ts';

const Head = styled('div')({
  display: 'flex',
  alignItems: 'center',
  gap: 4,
  margin: '12px 0 4px',
  fontSize: 13,
  fontWeight: 600,
});
const Command = styled('pre')({
  margin: 0,
  padding: 10,
  maxHeight: 140,
  overflow: 'auto',
  fontFamily: 'var(--font-mono)',
  fontVariantLigatures: 'none',
  fontSize: 12,
  lineHeight: '18px',
  border: `1px solid ${palette.divider}`,
  borderRadius: 8,
  backgroundColor: palette.background.default,
});

export function CommandBox({ name, text }: { name: string; text: string }) {
  return (
    <section aria-label={name}>
      <Head>
        {name} <CopyButton text={text} label={`Copy: ${name}`} />
      </Head>
      <Command tabIndex={0} role="group" aria-label={name}>
        {text}
      </Command>
    </section>
  );
}
