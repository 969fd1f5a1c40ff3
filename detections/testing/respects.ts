/**
 * How a miss may differ from its match: in one respect. Shippers say one thing in several fields (a command line is a title, a list of
 * arguments and a path), so fields that always change together count as one.
 */
import type { Document } from './pairs.ts';

const respects: [name: string, paths: RegExp][] = [
  ['the program', /^winlog\.event_data\.(?:Image|OriginalFileName|Description|Product|Company|CommandLine)$/],
  ['the parent', /^winlog\.event_data\.Parent(?:Image|CommandLine)$|^process\.parent\.(?:executable|name)$/],
  ['the consumer', /^winlog\.event_data\.(?:CONSUMER|PossibleCause)$/],
  ['the object', /^winlog\.event_data\.Object(?:DN|Class|Name|Type|Server)$/],
  ['the caller', /^winlog\.event_data\.Subject(?:UserSid|UserName|DomainName|LogonId)$/],
  ['the target account', /^winlog\.event_data\.Target(?:UserSid|Sid|UserName|DomainName)$/],
  ['the result', /^event\.outcome$|^winlog\.(?:keywords\.0|event_data\.(?:Status|SubStatus|FailureReason|ResultCode))$/],
  ['the command', /^process\.(?:args\.\d+|title|name|executable)$|^auditd\.(?:data\.argc|summary\.(?:how|object\.primary))$/],
  ['the account of a program', /^winlog\.event_data\.(?:Parent)?User$/],
  ['the user', /^user\.(?:effective\.)?name$|^auditd\.summary\.actor\.secondary$/],
  ['the event', /^event\.(?:code|action)$|^winlog\.(?:event_id|task)$/],
  ['the provider', /^event\.provider$|^winlog\.provider_name$/],
  ['the line', /^(?:message|programname|syslogtag)$/],
  ['the name asked for', /^dns\.question\.\w+$|^resource$|^query$/],
  ['the method', /^method$|^http\.request\.method$|^query$/],
  ['the address of the page', /^url\.\w+$|^query$/],
  ['the port', /^(?:destination|server)\.port$/],
  ['the version', /^tls\.(?:version|detailed\.version)$/],
  ['the file', /^(?:ObjectId|SourceFileName)$|^file\.path$|^auditd\.summary\.object\.primary$/],
];

/** Paths at which two documents differ, but for Windows' rendering of an event, which repeats its data. */
export function differences(match: Document, miss: Document): string[] {
  const left = leaves(match);
  const right = leaves(miss);
  const paths = [...new Set([...left.keys(), ...right.keys()])].filter((path) => left.get(path) !== right.get(path));
  return 'winlog' in match ? paths.filter((path) => path !== 'message') : paths;
}

/** The one respect that these differences come down to; undefined if there are several, or none. */
export function respectOf(paths: readonly string[]): string | undefined {
  if (paths.length === 1) return paths[0];
  return paths.length === 0 ? undefined : respects.find(([, pattern]) => paths.every((path) => pattern.test(path)))?.[0];
}

function leaves(value: unknown, path = '', found = new Map<string, string>()): Map<string, string> {
  if (value !== null && typeof value === 'object') {
    for (const [key, inner] of Object.entries(value)) leaves(inner, path === '' ? key : `${path}.${key}`, found);
  } else found.set(path, JSON.stringify(value) ?? 'undefined');
  return found;
}
