/**
 * "12 new alerts": rows that arrived since the list was loaded. Loads them on click; announced to screen readers at most every 5
 * seconds.
 */
import Button from '@mui/material/Button';
import { useEffect, useState } from 'react';
import { Announced } from './Announced.tsx';
import { exact } from './numbers.ts';

const sayEveryMs = 5000;

interface Props {
  count: number;
  /** One of them: "alert". */
  what: string;
  onShow: () => void;
}

export function NewRows({ count, what, onShow }: Props) {
  const text = `${count > 999 ? '999+' : exact(count)} new ${count === 1 ? what : `${what}s`}`;
  const [announcement, announce] = useState('');
  const wanted = count > 0 ? text : '';
  useEffect(() => {
    if (announcement === wanted) return;
    // The first arrival is announced at once, later ones at intervals.
    const timer = setTimeout(() => announce(wanted), announcement === '' || wanted === '' ? 0 : sayEveryMs);
    return () => clearTimeout(timer);
  }, [announcement, wanted]);
  return (
    <>
      <Announced text={announcement} />
      {count > 0 && (
        <Button size="small" variant="contained" onClick={onShow} sx={{ height: 32 }}>
          {text}
        </Button>
      )}
    </>
  );
}
