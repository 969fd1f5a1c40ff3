/** The brand’s logo for the colour scheme, or the first letter of its name beside the name. The provider’s logo never replaces a partner’s. */
import { styled } from '@mui/material/styles';
import { palette } from '../kit/palette.ts';
import { useBrand } from './brand.ts';

const Frame = styled('span')(({ theme }) => ({
  display: 'inline-flex',
  alignItems: 'center',
  gap: 10,
  minWidth: 0,
  '& img': { height: 28, maxWidth: 180, objectFit: 'contain' },
  '& .for-dark': { display: 'none', ...theme.applyStyles('dark', { display: 'block' }) },
  '& .for-light': { display: 'block', ...theme.applyStyles('dark', { display: 'none' }) },
  '& .name': {
    fontSize: 16,
    lineHeight: '24px',
    fontWeight: 650,
    letterSpacing: '-0.01em',
    overflow: 'hidden',
    textOverflow: 'ellipsis',
  },
}));

const Letter = styled('span')({
  display: 'grid',
  placeItems: 'center',
  flex: 'none',
  width: 28,
  height: 28,
  fontSize: 15,
  fontWeight: 700,
  color: palette.primary.contrastText,
  backgroundColor: palette.primary.main,
  borderRadius: 6,
});

/** `isFolded`: one letter wide. */
export function BrandLogo({ isFolded = false }: { isFolded?: boolean }) {
  const { name, logoURL, logo2URL } = useBrand();
  if (logoURL && !isFolded) {
    return (
      <Frame>
        <img className="for-light" src={logoURL} alt={name} />
        <img className="for-dark" src={logo2URL || logoURL} alt={name} />
      </Frame>
    );
  }
  return (
    <Frame>
      <Letter aria-hidden>{name.slice(0, 1).toUpperCase()}</Letter>
      {!isFolded && <span className="name">{name}</span>}
    </Frame>
  );
}
