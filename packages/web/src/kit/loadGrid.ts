/** Code of the grid, a chunk of its own: 127 KiB that only lists need. Running it takes as long as rendering a page, so it waits for the first paint. */
export const loadGrid = () => import('./TableGrid.tsx');

let isFetched = false;

/** Fetches it beside a list's first rows, without running it; narrow screens show cards instead. Names its files by the build's `<meta name="grid">`. */
export function fetchGrid(): void {
  if (isFetched || !matchMedia('(min-width: 700px)').matches) return;
  isFetched = true;
  const files = document.querySelector<HTMLMetaElement>('meta[name=grid]')?.content ?? '';
  for (const href of files.split(' ').filter(Boolean))
    document.head.append(Object.assign(document.createElement('link'), { rel: 'modulepreload', href }));
}
