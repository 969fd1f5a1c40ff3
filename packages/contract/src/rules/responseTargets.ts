/**
 * Response targets: unsupported actions, and warnings. Enforced by the server, shown by the web; this file does not import zod.
 */

/** Cloud services and suites have no network card, processes or files to act on. */
const cloudTypes: readonly string[] = ['productivity', 'cloudPlatform', 'cloudApp'];
const hostActions: Readonly<Record<string, string>> = {
  isolate:
    'cannot be isolated from the network: it is a cloud service, not a host. Block the account that is misused there instead',
  killProcess: 'has no processes that can be ended: it is a cloud service, not a host',
  collectFile: 'has no files that can be collected: it is a cloud service, not a host',
};

/** Reason that the action is unsupported; undefined when supported. `deviceTypes` are those of the executing device. */
export function targetRefusal(action: string, device: string, deviceTypes: readonly string[]): string | undefined {
  const reason = hostActions[action];
  if (reason !== undefined && deviceTypes.length > 0 && deviceTypes.every((type) => cloudTypes.includes(type)))
    return `${device} ${reason}.`;
  if (action === 'killProcess' && deviceTypes.length > 0 && deviceTypes.every((type) => type === 'networkDevice'))
    return `${device} is a network device: its processes cannot be ended from here.`;
  return undefined;
}

/** Warnings for accounts that systems depend on, by the last part of their name in lower case. */
const accountWarnings: readonly [pattern: RegExp, text: string][] = [
  [/^root$/, 'is the superuser of the host. Without it the host may not be repairable.'],
  [/^(administrator|administrateur|administrador|admin)$/, 'is an administrator’s account. You may lock yourselves out.'],
  [
    /^(system|local service|network service|localsystem|trustedinstaller)$/,
    'is an account of the operating system. Services stop without it.',
  ],
  [/^krbtgt$/, 'signs every Kerberos ticket of the domain. Nobody can sign in to the domain without it.'],
  [/\$$/, 'is the account of a machine or a managed service. That machine loses its place in the domain.'],
  [/^(svc|srv|service|sa|app|bot)[-_.]|[-_.](svc|service)$/, 'looks like a service account. Whatever runs as it stops.'],
  [/^(daemon|nobody|www-data|postgres|mysql|oracle|msol_.*|aad_.*)$/, 'looks like a service account. Whatever runs as it stops.'],
];

/** Warning to confirm before the request; undefined without one. */
export function targetWarning(action: string, target: string, deviceTypes: readonly string[]): string | undefined {
  if (action === 'blockUser' || action === 'disable') {
    const whole = target.trim().toLowerCase();
    const bare = whole.slice(whole.lastIndexOf('\\') + 1).split('@', 1)[0] ?? '';
    const text = accountWarnings.find(([pattern]) => pattern.test(bare))?.[1];
    return text && `${target} ${text}`;
  }
  if (action === 'isolate' && deviceTypes.includes('networkDevice'))
    return `${target} is a network device. Isolating it cuts off everything that it connects.`;
  return undefined;
}
