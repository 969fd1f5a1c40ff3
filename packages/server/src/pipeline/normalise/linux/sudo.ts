/** sudo and su: use of another account’s rights, and refusals. */
import { kind } from '../doc.ts';
import type { Facts } from './facts.ts';

const ran = kind('process authentication', 'start', 'sudo_command', 'success');
const refused = kind('process authentication', 'start', 'sudo_command', 'failure');
const became = kind('authentication session', 'start', 'su', 'success');
const suFailed = kind('authentication', 'start', 'su', 'failure');

/**
 * `ann : TTY=pts/0 ; PWD=/home/ann ; USER=root ; COMMAND=/usr/bin/id`, with a reason before `TTY=` when it was refused. The working
 * directory is under the user's control, so `COMMAND=` counts only after `USER=`.
 */
export function readSudo(message: string): Facts | undefined {
  const line = message.trimStart();
  const colon = line.indexOf(' : ');
  if (colon <= 0 || colon > 256) return undefined;
  const user = line.slice(0, colon).trim();
  let rest = line.slice(colon + 3);
  let reason: string | undefined;
  const tty = rest.startsWith('TTY=') || rest.startsWith('HOST=') ? 0 : rest.indexOf(' ; ');
  if (tty > 0 && !/^[A-Z]+=/.test(rest)) {
    reason = rest.slice(0, tty);
    rest = rest.slice(tty + 3);
  }
  const start = rest.indexOf('USER=');
  const command = rest.indexOf('COMMAND=', Math.max(start, 0));
  if (command < 0 && start < 0) return undefined;
  const head = command < 0 ? rest : rest.slice(0, command);
  const commandLine = command < 0 ? undefined : rest.slice(command + 8).trim();
  const effective = start < 0 ? undefined : /^USER=(\S{1,256})/.exec(rest.slice(start))?.[1];
  const folder = /(?:^|; )PWD=(.*?)(?: ; USER=|$)/.exec(head.slice(0, 4500))?.[1];
  const terminal = /(?:^|; )TTY=(\S{1,64})/.exec(head)?.[1];
  const commandText = commandLine === undefined ? '' : `: ${commandLine}`;
  return {
    kind: reason === undefined ? ran : refused,
    user,
    effective,
    commandLine,
    folder: folder?.trim(),
    reason,
    auth: {
      sudo: {
        user: effective,
        command: commandLine,
        pwd: folder?.trim(),
        tty: terminal,
        ...(reason === undefined ? {} : { error: reason }),
      },
    },
    line:
      reason === undefined
        ? `${user} ran with sudo as ${effective ?? 'root'}${commandText}`
        : `sudo refused ${user} (${reason.trim()})${effective === undefined ? '' : ` as ${effective}`}${commandText}`,
  };
}

const utilLinux = /^(FAILED SU )?\(to ([^)]{1,256})\) (\S{1,256}) on (\S{1,64})/;
const shadow = /^(Successful|FAILED) su for (\S{1,256}) by (\S{1,256})/i;
const signs = /^([+-]) (\S{1,64}) ([^:\s]{1,256})[:-](\S{1,256})$/;

/** su of util-linux and of shadow. */
export function readSu(message: string): Facts | undefined {
  const line = message.trim();
  let found = utilLinux.exec(line);
  if (found) return su(found[1] === undefined, found[3]!, found[2]!);
  found = shadow.exec(line);
  if (found) return su(found[1]!.toLowerCase() === 'successful', found[3]!, found[2]!);
  found = signs.exec(line);
  return found ? su(found[1] === '+', found[3]!, found[4]!) : undefined;
}

function su(isDone: boolean, user: string, effective: string): Facts {
  return {
    kind: isDone ? became : suFailed,
    user,
    effective,
    line: isDone ? `${user} became ${effective} with su` : `su refused ${user} to become ${effective}`,
  };
}
