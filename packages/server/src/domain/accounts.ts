/** Accounts that identify one person: only their names join alerts, and only they are proposed for blocking. */

/** Built-in and shared accounts, which identify no person. */
const genericAccounts = new Set(
  `- system root administrator admin guest test user unknown nobody daemon anonymous anonymous logon local service network service
  localsystem localservice networkservice service operator default defaultaccount krbtgt iusr www-data apache nginx httpd mysql postgres sa
  oracle ubuntu ec2-user azureuser debian pi null none n/a`
    .split(/\s+/)
    .concat(['local service', 'network service', 'anonymous logon', 'default account', 'lokaler dienst', 'netzwerkdienst']),
);
const genericDomains = /^(?:nt[ -]|autorite nt|autorité nt|font driver host|window manager|iis apppool|builtin)/;

/** The account without its domain, in lower case; undefined where many stand behind the name. */
export function accountOf(userName: string | null | undefined): string | undefined {
  const name = userName?.trim().toLowerCase() ?? '';
  const slash = name.lastIndexOf('\\');
  const domain = slash < 0 ? '' : name.slice(0, slash);
  const account = name.slice(slash + 1).replace(/@[^@]*$/, '');
  if (account === '' || genericAccounts.has(account) || account.endsWith('$') || genericDomains.test(domain)) return undefined;
  if (/^(?:s-1-[\d-]+|\d+|(?:dwm|umfd)-\d+)$/.test(account)) return undefined;
  return account;
}
