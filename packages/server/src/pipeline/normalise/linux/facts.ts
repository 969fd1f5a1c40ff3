/**
 * Facts of a Linux log line before conversion to ECS. Parsers of single programs are pure functions from a message to facts.
 * Messages carry untrusted text (user names, commands, user agents): expressions here have no nested repetition and match
 * from the end where the trustworthy part of a line stands there.
 */
import type { Document } from '../../event.ts';
import { categorise, fill, ip, type Kind, port, section } from '../doc.ts';

export interface Facts {
  kind: Kind;
  /** Acting account, or the one concerned when the line names no actor. */
  user?: string | undefined;
  userId?: string | undefined;
  /** Account whose rights are used (sudo, su). */
  effective?: string | undefined;
  /** Account being changed. */
  target?: string | undefined;
  group?: string | undefined;
  from?: string | undefined;
  fromPort?: string | number | undefined;
  commandLine?: string | undefined;
  folder?: string | undefined;
  service?: string | undefined;
  /** `event.reason`: the reason for a refusal. */
  reason?: string | undefined;
  /** Fields of Elastic's `system.auth`, by name. */
  auth?: Document | undefined;
  /** Summary, when the message itself does not read well. */
  line?: string | undefined;
}

/** Fills ECS from facts; never overwrites. */
export function fillFacts(document: Document, facts: Facts): void {
  categorise(document, facts.kind);
  if (facts.reason !== undefined) fill(section(document, 'event'), 'reason', facts.reason);
  if (facts.user || facts.userId || facts.effective || facts.target) {
    const user = section(document, 'user');
    if (facts.user) fill(user, 'name', facts.user);
    if (facts.userId) fill(user, 'id', facts.userId);
    if (facts.effective) fill(section(user, 'effective'), 'name', facts.effective);
    if (facts.target) fill(section(user, 'target'), 'name', facts.target);
  }
  if (facts.group) fill(section(document, 'group'), 'name', facts.group);
  if (facts.from) {
    const source = section(document, 'source');
    const address = ip(facts.from);
    fill(source, 'address', facts.from);
    if (address !== undefined) fill(source, 'ip', address);
    else fill(source, 'domain', facts.from);
    fill(source, 'port', port(facts.fromPort));
  }
  if (facts.commandLine) fillCommand(document, facts.commandLine, facts.folder);
  if (facts.service) fill(section(document, 'service'), 'name', facts.service);
  if (facts.auth) {
    const auth = section(section(document, 'system'), 'auth');
    for (const name in facts.auth) fill(auth, name, facts.auth[name]);
  }
}

/**
 * Fills a command as a log line shows it: its quoting is lost, so arguments are split at spaces. `process.name` stays the
 * program that wrote the line (sudo, cron), as in Elastic’s own pipeline; rules are selected by it.
 */
function fillCommand(document: Document, commandLine: string, folder: string | undefined): void {
  const process = section(document, 'process');
  const cut = commandLine.indexOf(' ');
  const executable = cut < 0 ? commandLine : commandLine.slice(0, cut);
  fill(process, 'command_line', commandLine);
  if (executable.startsWith('/')) fill(process, 'executable', executable);
  const all = commandLine.slice(0, 8000).split(' ').filter(Boolean);
  fill(process, 'args', all.length > 100 ? all.slice(0, 100) : all);
  fill(process, 'working_directory', folder);
}
