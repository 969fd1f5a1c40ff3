/** Priority of a finding, 0–100, with its reasons; documented in docs/vulnerabilities.md. Pure. */
import type { DeviceType, Severity } from '@parapet/contract/primitives.ts';

export interface Exposure {
  deviceType: DeviceType;
  /** Programs listening beyond the loopback address; undefined when unknown. */
  listening: ReadonlySet<string> | undefined;
}

export interface Weighed {
  severity: Severity;
  cvss: number | null;
  epss: number | null;
  isKnownExploited: boolean;
  /** True where EPSS or known exploitation is invented for the demo. */
  isInvented?: boolean;
  /** Names of the package and of its source package. */
  packages: readonly string[];
}

export const weights = { cvss: 30, epss: 25, exploited: 30, server: 5, listens: 10 } as const;

/** Substitute for a missing CVSS score: the middle of the severity’s range. */
const usualScores: Record<Severity, number> = { critical: 9.5, high: 8, medium: 5.5, low: 2, informational: 0 };

/** Programs named differently from their package. */
const programs: Record<string, string> = {
  sshd: 'openssh',
  named: 'bind9',
  httpd: 'httpd',
  mysqld: 'mysql',
  mariadbd: 'mariadb',
  postgres: 'postgresql',
  smbd: 'samba',
  slapd: 'openldap',
  cupsd: 'cups',
  rpcbind: 'rpcbind',
  snmpd: 'net-snmp',
  exim4: 'exim4',
  master: 'postfix',
};

/** Finds a listening program of this package, by its own or a known name. */
function listens(listening: ReadonlySet<string>, packages: readonly string[]): string | undefined {
  for (const program of listening) {
    const known = Object.hasOwn(programs, program) ? programs[program]! : program;
    if (known !== '' && packages.some((name) => name === known || (known.length > 3 && name.startsWith(`${known}-`))))
      return program;
  }
  return undefined;
}

export function priorityOf(
  { severity, cvss, epss, isKnownExploited, isInvented = false, packages }: Weighed,
  { deviceType, listening }: Exposure,
): { priority: number; reasons: string[] } {
  const reasons: string[] = [];
  let sum = 0;
  const add = (points: number, why: string) => {
    sum += points;
    if (Math.round(points) > 0) reasons.push(`${why}: +${Math.round(points)}`);
  };
  const mark = isInvented ? ' (invented for this demo)' : '';
  if (isKnownExploited) add(weights.exploited, `On the list of known exploited vulnerabilities${mark}`);
  if (epss !== null)
    add(weights.epss * Math.sqrt(epss), `EPSS: ${percent(epss)} chance of being exploited within 30 days${mark}`);
  add(
    (weights.cvss * (cvss ?? usualScores[severity])) / 10,
    cvss === null ? `Severity ${severity}, without a CVSS score` : `CVSS base score ${cvss.toFixed(1)}`,
  );
  const program = listening && listens(listening, packages);
  if (program !== undefined) add(weights.listens, `Its program ${program} listens on the network`);
  else if (listening && listening.size > 0) add(weights.listens / 2, 'The device listens on the network');
  if (deviceType === 'server') add(weights.server, 'The device is a server');
  return { priority: Math.min(100, Math.max(0, Math.round(sum))), reasons };
}

const percent = (share: number): string => {
  const hundredths = share * 100;
  return `${hundredths >= 10 ? Math.round(hundredths) : hundredths >= 0.1 ? hundredths.toFixed(1) : hundredths.toFixed(2)}%`;
};

interface Socket {
  address?: unknown;
  process?: unknown;
}
const isLoopback = (address: string): boolean => /^(127\.|::1$|::ffff:127\.|localhost$)/.test(address);

/** Listening programs from an agent’s inventory; undefined without one. */
export const listeningOf = (sockets: readonly Socket[] | undefined): ReadonlySet<string> | undefined =>
  sockets &&
  new Set(sockets.flatMap(({ address, process }) => (isLoopback(String(address ?? '')) ? [] : [String(process ?? '')])));
