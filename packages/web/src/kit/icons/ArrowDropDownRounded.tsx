import { createIcon } from './icon.tsx';

export const ArrowDropDownRounded = createIcon(
  <path d="m8.71 11.71 2.59 2.59c.39.39 1.02.39 1.41 0l2.59-2.59c.63-.63.18-1.71-.71-1.71H9.41c-.89 0-1.33 1.08-.7 1.71" />,
  'ArrowDropDownRounded',
);
