/** Readable browser name of a user agent: "Firefox 140 on Windows". Unknown user agents are returned unchanged. */
const browsers: [name: string, pattern: RegExp][] = [
  ['Edge', /Edg(?:e|A|iOS)?\/(\d+)/],
  ['Opera', /OPR\/(\d+)/],
  ['Firefox', /(?:Firefox|FxiOS)\/(\d+)/],
  ['Chrome', /(?:Chrome|CriOS|HeadlessChrome)\/(\d+)/],
  ['Safari', /Version\/(\d+).*Safari\//],
];
const systems: [name: string, pattern: RegExp][] = [
  ['iOS', /iPhone|iPad/],
  ['Android', /Android/],
  ['Windows', /Windows/],
  ['macOS', /Mac OS X|Macintosh/],
  ['ChromeOS', /CrOS/],
  ['Linux', /Linux/],
];

export function browserName(userAgent: string): string {
  const browser = browsers.find(([, pattern]) => pattern.test(userAgent));
  if (!browser) return userAgent.trim() === '' ? 'Unknown browser' : userAgent;
  const system = systems.find(([, pattern]) => pattern.test(userAgent));
  return `${browser[0]} ${browser[1].exec(userAgent)?.[1] ?? ''}${system ? ` on ${system[0]}` : ''}`;
}
