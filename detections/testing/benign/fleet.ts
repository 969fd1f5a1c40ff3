/** A client of sixty Windows machines, twelve Linux servers, a gateway and a tenant, and the gaps that its events fill. */
import { between, pick, type Random, text } from './random.ts';
import { type Fill, type Gaps, templateOf } from './template.ts';

export interface Host {
  /** `ALD-WS-014` */
  name: string;
  roles: readonly string[];
  ip: string;
  user: string;
  rid: number;
}

/** What the events of a row share. */
export interface Context {
  host: Host;
  user: string;
  linuxUser: string;
  word: string;
  number: number;
  address: string;
}

const people = (
  'm.keller j.weber s.braun t.lange k.vogel p.huber l.fuchs n.simon a.frank d.roth h.beck c.kraus f.lorenz e.pohl g.busch i.horn o.sauer r.arnold ' +
  'b.wolff u.engel v.peters w.ott y.kuhn z.jahn m.sommer j.brandt s.haas t.voigt k.stein p.winter l.baum n.ernst a.kurz d.thiel h.reich c.noack ' +
  'f.barth e.lindner g.hauser i.moser o.seidel r.brunner'
).split(' ');
const linuxPeople = ['jonas', 'miriam', 'felix', 'admin1', 'tobias', 'sven'];
const words = (
  'alpha budget campaign delivery engine forecast garden harbour invoice journal kitchen ledger marina notice offer project quarter report ' +
  'sample tender update vendor winter yearly board contract draft layout meeting order plan price review schedule summary team training travel'
).split(' ');

const range = (count: number, of: (index: number) => Host): Host[] => Array.from({ length: count }, (_, index) => of(index));
const two = (number: number) => String(number).padStart(2, '0');

const named = (name: string, ip: string, roles: readonly string[], user = 'svc_local'): Host => ({
  name,
  ip,
  roles,
  user,
  rid: 1101,
});

export const hosts: readonly Host[] = [
  ...range(40, (index) => ({
    name: `ALD-WS-0${two(index + 10)}`,
    roles: ['*', 'ws'],
    ip: `10.20.4.${index + 10}`,
    user: people[index % people.length]!,
    rid: 1120 + index,
  })),
  ...range(3, (index) => ({
    name: `ALD-DEV-0${index + 1}`,
    roles: ['*', 'dev'],
    ip: `10.20.4.${index + 60}`,
    user: people[39 + index]!,
    rid: 1170 + index,
  })),
  named('ALD-ADM-01', '10.20.0.17', ['*', 'admin'], 'a.weber.adm'),
  named('ALD-DC-01', '10.20.0.10', ['*', 'dc'], 'a.weber.adm'),
  named('ALD-DC-02', '10.20.0.11', ['*', 'dc'], 'a.weber.adm'),
  named('ALD-FS-01', '10.20.0.12', ['*', 'srv', 'fs'], 'a.weber.adm'),
  named('ALD-MX-01', '10.20.0.13', ['*', 'srv', 'mail'], 'a.weber.adm'),
  named('ALD-CM-01', '10.20.0.14', ['*', 'srv'], 'svc_sccm'),
  named('ALD-BAK-01', '10.20.0.16', ['*', 'srv'], 'svc_veeam'),
  named('ALD-SQL-01', '10.20.0.20', ['*', 'srv', 'sql'], 'a.weber.adm'),
  named('ALD-WEB-02', '10.20.0.21', ['*', 'srv', 'iis'], 'a.weber.adm'),
  ...range(2, (index) => named(`ALD-RDS-0${index + 1}`, `10.20.0.${index + 22}`, ['*', 'srv', 'rds'], people[index * 7]!)),
  ...range(12, (index) =>
    named(
      index < 2 ? `ald-web-0${index + 1}` : `ald-app-${two(index)}`,
      `10.20.1.${index + 15}`,
      index < 2 ? ['lin', 'web'] : ['lin'],
    ),
  ),
  named('ald-gw-01', '10.20.1.1', ['gw']),
  named('tenant', '203.0.113.5', ['cloud']),
];

/** Hosts that a header names: roles between commas. */
export function hostsOf(roles: string): readonly Host[] {
  const wanted = roles.split(',');
  const found = hosts.filter((host) => wanted.some((role) => host.roles.includes(role)));
  if (found.length === 0) throw new Error(`There is no host ${roles}.`);
  return found;
}

export function contextOf(random: Random, host: Host): Context {
  const isOwn = host.roles.includes('ws') || host.roles.includes('dev') || host.roles.includes('admin');
  return {
    host,
    user: isOwn ? host.user : pick(random, people),
    linuxUser: pick(random, linuxPeople),
    word: pick(random, words),
    number: between(random, 10, 90),
    address: publicAddress(random),
  };
}

// biome-ignore format: a table
const networks = [
  [13, 107], [20, 50], [34, 117], [52, 98], [52, 113], [93, 184], [104, 16], [104, 18], [142, 250], [151, 101], [172, 217], [185, 199],
  [217, 160], [84, 150], [91, 198], [188, 40], [46, 114], [79, 230],
] as const;

function publicAddress(random: Random): string {
  const [a, b] = pick(random, networks);
  return `${a}.${b + (a > 40 && a < 60 ? 0 : Math.floor(random() * 3))}.${between(random, 0, 250)}.${between(random, 1, 250)}`;
}

const hex = '0123456789abcdef';
const letters = 'abcdefghijklmnopqrstuvwxyz';
const beginnings =
  'print scan data sync cloud net font media view doc mail disk time audio photo cert page form stock desk'.split(' ');
const endings = 'helper agent core lib tool view mon host ext pack link base kit map hub set'.split(' ');
const productName = (random: Random) => pick(random, beginnings) + pick(random, endings);
const guid = (random: Random) => [8, 4, 4, 4, 12].map((length) => text(random, hex, length)).join('-');

const hostNames: Record<string, string> = {
  web: '«=www.google.com|www.bing.com|www.heise.de|www.spiegel.de|www.linkedin.com|www.youtube.com|fonts.gstatic.com|cdn.jsdelivr.net|www.wikipedia.org|de.wikipedia.org|www.amazon.de|shop.«word».example|www.«word»-«word».example|api.«word».example|static.xx.fbcdn.net|i.ytimg.com|www.dhl.de|www.bahn.de|accounts.google.com|mail.google.com|s.w.org|stackoverflow.com|github.com|pagead2.googlesyndication.com|consent.«word».example|cdn.shopify.com|app.hubspot.com|js.stripe.com|www.paypal.com»',
  ms: '«=outlook.office365.com|login.microsoftonline.com|graph.microsoft.com|teams.microsoft.com|alder.sharepoint.example|alder-my.sharepoint.example|substrate.office.com|ecs.office.com|config.edge.skype.com|settings-win.data.microsoft.com|v10.events.data.microsoft.com|self.events.data.microsoft.com|nexusrules.officeapps.live.com|officeclient.microsoft.com|edge.microsoft.com|arc.msn.com|www.msftconnecttest.com|client.wns.windows.com|array«n:501:620».prod.do.dsp.mp.microsoft.com|smartscreen-prod.microsoft.com|enterpriseregistration.windows.net|roaming.officeapps.live.com|browser.pipe.aria.microsoft.com|euno-1.api.microsoftstream.com|mobile.pipe.aria.microsoft.com»',
  update:
    '«=au.download.windowsupdate.com|fe3cr.delivery.mp.microsoft.com|slscr.update.microsoft.com|ctldl.windowsupdate.com|msedge.api.cdp.microsoft.com|update.googleapis.com|clients2.google.com|edgedl.me.gvt1.com|armmf.adobe.com|ardownload3.adobe.com|ocsp.digicert.com|crl3.digicert.com|r11.o.lencr.org|deb.packages.example|security.packages.example|registry.modules.example|index.packages.example|api.snapcraft.io|download.containers.example|registry.containers.example|agent-eu.ninjarmm.com|router14.teamviewer.com|downloads.dell.com|javadl-esd-secure.oracle.com|update.code.visualstudio.com|aus5.mozilla.org»',
};

const agents =
  '«=Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36|Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1|Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0|Mozilla/5.0 (Linux; Android 14; SM-S921B) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Mobile Safari/537.36|Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15»';

const simple: Record<string, Fill<Context>> = {
  u: (_, { user }) => user,
  ku: (_, { user }) => user,
  U: (_, { user }) => `ALDER\\${user}`,
  h: (_, { host }) => host.name,
  ip: (_, { host }) => host.ip,
  rid: (_, { host }) => String(host.rid),
  k: (_, { number }) => String(number),
  kw: (_, { word }) => word,
  kpub: (_, { address }) => address,
  lu: (_, { linuxUser }) => linuxUser,
  klu: (_, { linuxUser }) => linuxUser,
  pub: publicAddress,
  office: () => '203.0.113.5',
  guid,
  GUID: (random) => guid(random).toUpperCase(),
  word: (random) => pick(random, words),
  WORD: (random) => pick(random, words).toUpperCase(),
  word8: productName,
  WORD8: (random) => productName(random).toUpperCase(),
  tmp8: (random) => text(random, letters, 8),
  TMP8: (random) => text(random, letters, 8).toUpperCase(),
  doc: (random) => `${pick(random, words)}-${pick(random, words)}-${between(random, 1, 999)}`,
};

/** Fills of a gap’s name: of the list above, `x8`, `X8` and `d8` for digits, `n:1:9` for numbers. */
export const gaps: Gaps<Context> = (name) => {
  const own = simple[name];
  if (own) return own;
  if (name === 'ua') return templateOf(agents, gaps);
  const [kind, from, to] = name.split(':');
  if (kind === 'n') return (random) => String(between(random, Number(from), Number(to)));
  if (name.startsWith('host.')) {
    const list = hostNames[name.slice(5)];
    return list === undefined ? undefined : templateOf(list, gaps);
  }
  const [, letter, length] = /^([xXd])(\d+)$/.exec(name) ?? [];
  if (letter === 'd') return (random) => `${between(random, 1, 9)}${text(random, '0123456789', Number(length) - 1)}`;
  if (letter) return (random) => text(random, letter === 'X' ? hex.toUpperCase() : hex, Number(length));
  return undefined;
};
