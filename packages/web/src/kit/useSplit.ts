/** Split view of a list: rows as cards at the left, the previewed row at the right. Stored per list in the browser; wide windows only. */
import useMediaQuery from '@mui/material/useMediaQuery';
import { createContext, useState } from 'react';

/** True inside a list in split view: its side panel takes most of the room. */
export const SplitContext = createContext(false);

export interface Split {
  isOn: boolean;
  /** Undefined where there is no room for it. */
  toggle: (() => void) | undefined;
}

export function useSplit(list: string, hasPreview: boolean): Split {
  const isWide = useMediaQuery('(min-width: 1280px)', { noSsr: true });
  const key = `split:${list}`;
  const [isChosen, setChosen] = useState(() => read(key));
  const isPossible = isWide && hasPreview;
  const toggle = () => {
    setChosen(!isChosen);
    write(key, !isChosen);
  };
  return { isOn: isPossible && isChosen, toggle: isPossible ? toggle : undefined };
}

function read(key: string): boolean {
  try {
    return localStorage.getItem(key) === 'on';
  } catch {
    return false;
  }
}

function write(key: string, isOn: boolean): void {
  try {
    if (isOn) localStorage.setItem(key, 'on');
    else localStorage.removeItem(key);
  } catch {
    // Forbidden: the choice then lasts as long as the page.
  }
}
