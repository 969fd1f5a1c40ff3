/** Whether the drawer is folded to icons; kept in this browser. */
import { useState } from 'react';

const key = 'portal-navbar-folded';

function read(): boolean {
  try {
    return localStorage.getItem(key) === 'true';
  } catch {
    return false;
  }
}

export function useFolded() {
  const [isFolded, setFolded] = useState(read);
  const toggle = () => {
    setFolded(!isFolded);
    try {
      localStorage.setItem(key, String(!isFolded));
    } catch {
      // As long as this page, then.
    }
  };
  return { isFolded, toggle };
}
