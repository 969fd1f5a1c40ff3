// Before the first paint: light or dark and the ground's colour, as chosen on this machine or by the system. A file of its own, because the
// content-security policy allows no inline script. src/app/theme/look.ts writes what it reads, and takes over from it.
// Beside the base it also sends the start's two calls (src/lib/early.ts), and with a token it fetches the shell and the page of the address: the base
// would name them only once it has run.
(() => {
  const early = new Map();
  window.early = early;
  const send = (method, address, body) => {
    const headers = { Accept: 'application/json', ...(body && { 'Content-Type': 'application/json' }) };
    const sent = fetch(address, { method, headers, body, credentials: 'same-origin', cache: 'no-store' });
    sent.catch(() => {});
    early.set(`${method} ${address} ${body ?? ''}`, sent);
  };
  let accessToken = null;
  try {
    accessToken = localStorage.getItem('jwt_access_token');
  } catch {
    // Storage refused: no session either.
  }
  if (accessToken) {
    let isValid = false;
    try {
      isValid = JSON.parse(atob(accessToken.split('.')[1].replace(/-/g, '+').replace(/_/g, '/'))).exp * 1000 > Date.now();
    } catch {
      // Malformed: the session refuses it.
    }
    if (isValid) send('POST', '/api/v1/auth/access-token', JSON.stringify({ accessToken }));
    const files = [...document.querySelectorAll('meta[name=shell], meta[name=page]')].flatMap(({ content }) =>
      content.split(' '),
    );
    for (const href of files.filter(Boolean))
      document.head.append(Object.assign(document.createElement('link'), { rel: 'modulepreload', href }));
  }
  send('GET', '/api/v1/brand');

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
