/**
 * Response targets: unsupported actions, and warnings. Enforced by the server, shown by the web; this file does not import zod.
 */

/** Cloud services and suites have no network card, processes or files to act on. */
const cloudTypes: readonly string[] = ['productivity', 'cloudPlatform', 'cloudApp'];
const hostActions: Readonly<Record<string, string>> = {
  isolate: 'cannot be isolated from the network: it is a cloud service, not a host. Block the compromised account instead',
  killProcess: 'has no processes to end: it is a cloud service, not a host',
  collectFile: 'has no files to collect: it is a cloud service, not a host',
};

/** Reason that the action is unsupported; undefined when supported. `deviceTypes` are those of the executing device. */
export function targetRefusal(action: string, device: string, deviceTypes: readonly string[]): string | undefined {
  const reason = hostActions[action];
  if (reason !== undefined && deviceTypes.length > 0 && deviceTypes.every((type) => cloudTypes.includes(type)))
    return `${device} ${reason}.`;
  if (action === 'killProcess' && deviceTypes.length > 0 && deviceTypes.every((type) => type === 'networkDevice'))
    return `${device} is a network device. Its processes can’t be ended remotely.`;
  return undefined;
}

/** Warnings for accounts that systems depend on, by the last part of their name in lower case. */
const accountWarnings: readonly [pattern: RegExp, text: string][] = [
  [/^root$/, 'is the superuser of the host. Recovery of the host may require it.'],
  [
    /^(administrator|administrateur|administrador|admin)$/,
    'is an administrator’s account. You might lose administrative access.',
  ],
  [
    /^(system|local service|network service|localsystem|trustedinstaller)$/,
    'is an account of the operating system. Services depend on it.',
  ],
  [/^krbtgt$/, 'signs every Kerberos ticket of the domain. All domain sign-ins depend on it.'],
  [/\$$/, 'is the account of a computer or a managed service. The computer loses its domain membership.'],
  [/^(svc|srv|service|sa|app|bot)[-_.]|[-_.](svc|service)$/, 'looks like a service account. Its services will stop.'],
  [/^(daemon|nobody|www-data|postgres|mysql|oracle|msol_.*|aad_.*)$/, 'looks like a service account. Its services will stop.'],
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
    return `${target} is a network device. Isolation disconnects everything behind it.`;
  return undefined;
}
