/** Accounts and groups created, changed and removed by the shadow tools, and PAM messages of any program. */
import { kind } from '../doc.ts';
import type { Facts } from './facts.ts';

const userAdded = kind('iam', 'user creation', 'added-user-account', 'success');
const userRemoved = kind('iam', 'user deletion', 'deleted-user-account', 'success');
const userChanged = kind('iam', 'user change', 'modified-user-account', 'success');
const passwordChanged = kind('iam', 'user change', 'changed-password', 'success');
const groupAdded = kind('iam', 'group creation', 'added-group-account', 'success');
const groupRemoved = kind('iam', 'group deletion', 'deleted-group-account', 'success');
const memberAdded = kind('iam', 'group change', 'added-member-to-group', 'success');
const memberRemoved = kind('iam', 'group change', 'removed-member-from-group', 'success');
const failedChange = kind('iam', 'user', 'modified-user-account', 'failure');

/** The account is user and target alike: these tools do not log the caller. */
const accountFacts = (what: Facts['kind'], name: string | undefined, more: Partial<Facts> = {}): Facts => ({
  kind: what,
  user: name,
  target: name,
  ...more,
});

const newUser = /^new (?:system )?user: name=([^,]{1,256}), UID=(\d+)/;
const newGroup = /^(?:new group: name=|group added to \S{1,64}: name=)([^,]{1,256})/;
const toGroup = /^add '([^']{1,256})' to (?:shadow )?group '([^']{1,256})'/;
const fromGroup = /^(?:delete|remove) '([^']{1,256})' from (?:shadow )?group '([^']{1,256})'/;
const removedUser = /^delete user '([^']{1,256})'/;
const removedGroup =
  /^(?:removed? (?:shadow )?group '([^']{1,256})'|group '([^']{1,256})' removed|group removed from \S{1,64}: name=([^,\s]{1,256}))/;
const changedUser = /^(change|lock|unlock|rename) user '([^']{1,256})'(.*)$/;
const byGpasswd = /^user (\S{1,256}) (added|removed) by (\S{1,256}) (?:to|from) group (\S{1,256})/;
const failure = /^failed (?:to )?(?:add|adding|delet|remov|chang)\S* (?:user|group) '?([^',\s]{1,256})/;

/** Parses messages of useradd, usermod, userdel, groupadd, groupmod, groupdel, gpasswd, passwd and chpasswd. */
export function readAccounts(message: string): Facts | undefined {
  let found = newUser.exec(message);
  if (found) return accountFacts(userAdded, found[1], { userId: found[2], auth: { useradd: { name: found[1], uid: found[2] } } });
  found = toGroup.exec(message);
  if (found) return accountFacts(memberAdded, found[1], { group: found[2] });
  found = fromGroup.exec(message);
  if (found) return accountFacts(memberRemoved, found[1], { group: found[2] });
  found = newGroup.exec(message);
  if (found) return { kind: groupAdded, group: found[1] };
  found = removedUser.exec(message);
  if (found) return accountFacts(userRemoved, found[1]);
  found = removedGroup.exec(message);
  if (found) return { kind: groupRemoved, group: found[1] ?? found[2] ?? found[3] };
  found = changedUser.exec(message);
  if (found) return accountFacts(/password/.test(found[3]!) && found[1] === 'change' ? passwordChanged : userChanged, found[2]);
  found = byGpasswd.exec(message);
  if (found)
    return { kind: found[2] === 'added' ? memberAdded : memberRemoved, user: found[3], target: found[1], group: found[4] };
  found =
    /^password (?:changed )?for ['"]?([^'"\s]{1,256})['"]? (?:changed )?(?:by ['"]?([^'"\s]{1,256}))?/.exec(message) ??
    /^password changed for ['"]?([^'"\s]{1,256})/.exec(message);
  if (found) return { kind: passwordChanged, user: found[2] ?? found[1], target: found[1] };
  found = failure.exec(message);
  return found ? accountFacts(failedChange, found[1]) : undefined;
}

const pam = /^(?:pam_\w{1,40})\(([\w.@-]{1,64}):(\w{1,32})\): (.*)$/s;
const opened = /^session (opened|closed) for user ([^\s(]{1,256})(?:\(uid=(\d+)\))?(?: by ([^\s(]{0,256})?\(uid=(\d+)\))?/;
const countFailures = /^(\d{1,6}) more authentication failures?; (.*)$/s;

/** Parses PAM’s own lines of any program: `pam_unix(sshd:auth): authentication failure; … rhost=… user=…`. */
export function readPam(message: string): Facts | undefined {
  // sshd prefixes "PAM" when it counts failures: `PAM 2 more authentication failures; logname= … rhost=… user=…`.
  const counted = message.startsWith('PAM ') ? countFailures.exec(message.slice(4)) : null;
  if (counted) return pamFailure(counted[2]!, 'ssh_login');
  const found = pam.exec(message);
  if (!found) return undefined;
  const [, service, type, body] = found as unknown as [string, string, string, string];
  if (body.startsWith('authentication failure;')) return pamFailure(body, service === 'sshd' ? 'ssh_login' : service);
  const session = opened.exec(body);
  if (session) {
    const isOpened = session[1] === 'opened';
    return {
      kind: kind('session', isOpened ? 'start' : 'end', isOpened ? 'session-opened' : 'session-closed', 'success'),
      user: session[2],
      userId: session[3],
      service,
      line: `Session of ${session[2]} ${session[1]} (${service})${session[4] ? ` by ${session[4]}` : ''}`,
    };
  }
  if (type === 'chauthtok' && body.startsWith('password changed for ')) {
    const name = body.slice(21).split(' ', 1)[0];
    return accountFacts(passwordChanged, name, { service });
  }
  if (body.startsWith('check pass; user unknown'))
    return { kind: kind('authentication', 'start', 'unknown-user', 'failure'), service, reason: 'user unknown' };
  const locked =
    /^(?:user|account) ['"]?([^'"\s]{1,256})['"]? .{0,80}locked/i.exec(body) ??
    /^Consecutive login failures for user (\S{1,256}) account temporarily locked/.exec(body);
  return locked ? accountFacts(kind('iam', 'user change', 'locked-out-user-account', 'success'), locked[1]) : undefined;
}

function pamFailure(body: string, action: string): Facts {
  const user = /(?:\s|^)user=(\S{1,256})/.exec(body)?.[1];
  const caller = /(?:\s|^)(?:ruser|logname)=(\S{1,256})/.exec(body)?.[1];
  const from = /(?:\s|^)rhost=(\S{1,256})/.exec(body)?.[1];
  return {
    kind: kind('authentication', 'start', action, 'failure'),
    user: user ?? caller,
    from,
    reason: 'authentication failure',
    line: `Authentication failure${user === undefined ? '' : ` for ${user}`}${from === undefined ? '' : ` from ${from}`}`,
  };
}
