/** Instructions for the administrator of a product. */
import { styled } from '@mui/material/styles';
import { CopyButton } from '../../../kit/CopyButton.tsx';
import { palette } from '../../../kit/palette.ts';

export const Steps = styled('section')({
  padding: '12px 14px',
  border: `1px solid ${palette.divider}`,
  borderRadius: 8,
  '& h3': { display: 'flex', alignItems: 'center', gap: 4, margin: 0, fontSize: 13, fontWeight: 600 },
  '& ol': {
    margin: '6px 0 8px',
    paddingLeft: 20,
    display: 'grid',
    gridTemplateColumns: 'minmax(0, 1fr)',
    gap: 4,
    overflowWrap: 'anywhere',
  },
  '& p': { margin: 0 },
});

interface Props {
  kind: { title: string; steps: string[]; documentation: string };
}

export function Instructions({ kind: { title, steps, documentation } }: Props) {
  const text = steps.map((step, at) => `${at + 1}. ${step}`).join('\n');
  return (
    <Steps aria-label="Instructions">
      <h3>
        For the administrator of {title} <CopyButton text={text} label="Copy the instructions" />
      </h3>
      <ol>
        {steps.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      <a href={documentation} target="_blank" rel="noreferrer">
        Vendor documentation
      </a>
    </Steps>
  );
}
