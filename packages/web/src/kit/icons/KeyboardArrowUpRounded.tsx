import { createIcon } from './icon.tsx';

export const KeyboardArrowUpRounded = createIcon(
  <path d="M8.12 14.71 12 10.83l3.88 3.88c.39.39 1.02.39 1.41 0s.39-1.02 0-1.41L12.7 8.71a.996.996 0 0 0-1.41 0L6.7 13.3c-.39.39-.39 1.02 0 1.41.39.38 1.03.39 1.42 0" />,
  'KeyboardArrowUpRounded',
);
