/** Content of a panel of the operations page, and a cell that does not wrap. */
import { styled } from '@mui/material/styles';

export const Body = styled('div')({ display: 'grid', gap: 16, padding: '4px 16px 16px', '& > *': { minWidth: 0 } });

export const OneLine = styled('span')({ whiteSpace: 'nowrap' });
