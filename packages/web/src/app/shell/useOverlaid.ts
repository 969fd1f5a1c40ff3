/** True below 960 px, where the navigation overlays the page (spec §2.2). */
import useMediaQuery from '@mui/material/useMediaQuery';

export const useOverlaid = () => useMediaQuery('(max-width: 959.95px)', { noSsr: true });
