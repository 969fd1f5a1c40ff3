import { styled } from '@mui/material/styles';

/** The settings of a card beneath each other. */
export const Stack = styled('div')({ display: 'grid', gap: 20, minWidth: 0, '& > *': { minWidth: 0 } });
export const Buttons = styled('div')({ display: 'flex', flexWrap: 'wrap', gap: 8 });
