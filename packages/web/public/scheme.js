// Before the first paint: light or dark, as chosen on this machine or by the system. A file of its own, because the content-security
// policy allows no inline script. The theme keeps the attribute up to date from then on (src/app/theme/theme.ts).
(() => {
  let mode = 'system';
  try {
    mode = localStorage.getItem('parapet-mode') || mode;
  } catch {
    // Storage refused: the system's choice.
  }
  const dark = mode === 'dark' || (mode !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.setAttribute('data-scheme', dark ? 'dark' : 'light');
})();
