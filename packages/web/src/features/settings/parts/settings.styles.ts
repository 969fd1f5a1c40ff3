import { styled } from '@mui/material/styles';

/** Vertical stack of a card’s settings. */
export const Stack = styled('div')({ display: 'grid', gap: 20, minWidth: 0, '& > *': { minWidth: 0 } });
export const Buttons = styled('div')({ display: 'flex', flexWrap: 'wrap', gap: 8 });
