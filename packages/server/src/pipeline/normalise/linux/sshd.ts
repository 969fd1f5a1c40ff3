/**
 * OpenSSH’s server. The user name is chosen by the attacker and may itself read "x from 198.51.100.1 port 22", so addresses
 * are taken from the last place where they can stand.
 */
import { kind } from '../doc.ts';
import type { Facts } from './facts.ts';

const failed = kind('authentication', 'start', 'ssh_login', 'failure');
const accepted = kind('authentication session', 'start', 'ssh_login', 'success');
const ended = kind('session network', 'end', 'ssh_disconnect');
const probed = kind('network', 'connection', 'ssh_probe', 'failure');

const password = /^(Failed|Accepted) (\S+) for (invalid user )?(.*) from (\S+) port (\d+)(?:\s|$)/;
const invalid = /^Invalid user (.*) from (\S+?)(?: port (\d+))?$/;
const maximum = /^(?:error: )?maximum authentication attempts exceeded for (invalid user )?(.*) from (\S+) port (\d+)(?:\s|$)/;
const notAllowed = /^User (.+) from (\S+) not allowed because (.+)$/;
const byUser =
  /^(?:Connection (?:closed|reset) by|Disconnected from|Disconnecting|Connection from)(?: (authenticating user|invalid user|user)(?: (.*))?)? (\S+) port (\d+)(?=[\s:]|$)/;
const received = /^(?:error: )?Received disconnect from (\S+?)(?: port (\d+))?:\s?(.*)$/;
const identification =
  /^(?:error: )?(?:Did not receive identification string from|Bad protocol version identification .* from|Unable to negotiate with|Protocol major versions differ for|kex_exchange_identification: .* from) (\S+?)(?: port (\d+))?(?:[:\s].*)?$/;

const auth = (event: string, method?: string) => ({ ssh: method === undefined ? { event } : { event, method } });

function readPassword(message: string): Facts | undefined {
  const found = password.exec(message);
  if (!found) return undefined;
  const isAccepted = found[1] === 'Accepted';
  return {
    kind: isAccepted ? accepted : failed,
    user: found[4],
    from: found[5],
    fromPort: found[6],
    reason: found[3] ? 'invalid user' : undefined,
    auth: auth(found[1]!, found[2]),
    line: `${found[1]} ${found[2]} for ${found[3] ?? ''}${found[4]} from ${found[5]} port ${found[6]}`,
  };
}

/** Facts of an sshd message, or undefined for an irrelevant one. */
export function readSshd(message: string): Facts | undefined {
  switch (message.charCodeAt(0)) {
    case 70: // Failed
    case 65:
      return readPassword(message);
    case 73: {
      const found = invalid.exec(message);
      return found
        ? { kind: failed, user: found[1], from: found[2], fromPort: found[3], reason: 'invalid user', auth: auth('Invalid') }
        : undefined;
    }
    case 85: {
      const found = notAllowed.exec(message);
      if (found) return { kind: failed, user: found[1], from: found[2], reason: found[3], auth: auth('Invalid') };
      break;
    }
    case 82:
      if (message.startsWith('ROOT LOGIN REFUSED FROM ')) {
        return { kind: failed, user: 'root', from: message.slice(24).split(' ', 1)[0], reason: 'root login refused' };
      }
      break;
    default:
  }
  const many = maximum.exec(message);
  if (many) {
    return {
      kind: failed,
      user: many[2],
      from: many[3],
      fromPort: many[4],
      reason: 'maximum authentication attempts exceeded',
      auth: auth('Failed'),
    };
  }
  const gone = byUser.exec(message);
  if (gone) {
    const isBeforeLogin = gone[1] === 'authenticating user' || gone[1] === 'invalid user' || message.endsWith('[preauth]');
    const opened = message.startsWith('Connection from');
    return {
      kind: opened ? kind('network', 'connection start', 'ssh_connect') : isBeforeLogin ? probed : ended,
      user: gone[2] || undefined,
      from: gone[3],
      fromPort: gone[4],
      reason: gone[1] === 'invalid user' ? 'invalid user' : undefined,
    };
  }
  const disconnect = received.exec(message);
  if (disconnect) return { kind: ended, from: disconnect[1], fromPort: disconnect[2] };
  const probe = identification.exec(message);
  return probe ? { kind: probed, from: probe[1], fromPort: probe[2] } : undefined;
}
