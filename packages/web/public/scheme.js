// Before the first paint: light or dark and the ground's colour, as chosen on this machine or by the system. A file of its own, because the
// content-security policy allows no inline script. src/app/theme/look.ts writes what it reads, and takes over from it.
// With a token it also fetches the shell and the page of the address beside the base, which would name them only once it has run.
(() => {
  let files = [];
  try {
    if (localStorage.getItem('jwt_access_token')) files = document.querySelectorAll('meta[name=shell], meta[name=page]');
  } catch {
    // Storage refused: no session either.
  }
  for (const href of [...files].flatMap(({ content }) => content.split(' ')).filter(Boolean))
    document.head.append(Object.assign(document.createElement('link'), { rel: 'modulepreload', href }));

  const root = document.documentElement;
  let paint = {};
  try {
    paint = JSON.parse(localStorage.getItem('portal-paint')) ?? {};
  } catch {
    // Storage refused, or not ours: the system's choice.
  }
  const dark = paint.mode === 'dark' || (paint.mode !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  root.setAttribute('data-scheme', dark ? 'dark' : 'light');
  const colors = dark ? paint.dark : paint.light;
  if (!Array.isArray(colors) || !colors.every((color) => /^#[0-9a-f]{6}$/.test(color))) return;
  root.style.background = colors[0];
  root.style.color = colors[1];
})();
