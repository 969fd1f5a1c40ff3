/** Software deployments on Windows machines: installations by management software shortly before a service, driver or setting of theirs appeared. */
import type { Tx } from '../../core/db/scope.ts';
import { eventStore, type StoredEvent } from '../../domain/events/eventStore.ts';
import { citedField } from '../../domain/field-places.ts';
import type { RuleRow } from './decisioning.rules.ts';
import { detailFields } from './decisioning.signals.ts';
import type { Citation } from './decisioning.types.ts';

/** An installation and what it leaves lie so near together; of so many events of the device the newest is searched. */
const beforeMs = 10 * 60_000;
const maxEvents = 500;
/** Rules per case that are explained, the most important ones. */
const maxRules = 6;
/** Tactics of installations, which add services, drivers, tasks and settings. None takes passwords or reaches other machines. */
const explained = ['persistence', 'privilege-escalation', 'defense-evasion', 'execution'];
const never = ['credential-access', 'lateral-movement', 'collection', 'exfiltration', 'impact', 'command-and-control'];

/** Folders of packages that only the system may write. */
const packageFolder = /^[a-z]:\\windows\\(?:ccmcache|ccmsetup|imecache|adminarsenal)\\/i;
const installer = /^[a-z]:\\windows\\(?:system32|syswow64)\\msiexec\.exe$/i;
const manager =
  /^[a-z]:\\(?:windows\\(?:ccm|adminarsenal)\\|program files(?: \(x86\))?\\(?:microsoft intune management extension|microsoft configuration manager|ivanti|landesk|manageengine|tanium|pdq deploy|chocolatey)\\)/i;

const textOf = (document: unknown, name: keyof typeof detailFields): string =>
  (citedField(document, name) ?? citedField(document, detailFields[name]))?.value ?? '';

/** True for a process that an installation of management software started. */
export function isDeployment(document: unknown): boolean {
  const program = textOf(document, 'process.executable');
  return packageFolder.test(program) || (installer.test(program) && manager.test(textOf(document, 'process.parent.executable')));
}

/** Events without a parent: those with one have circumstances of their own. */
function isExplained({ facts, document, deviceName }: RuleRow): boolean {
  const tactics = Array.isArray(facts.tactics) ? facts.tactics : [];
  return (
    deviceName !== null &&
    typeof document === 'object' &&
    document !== null &&
    'winlog' in document &&
    textOf(document, 'process.parent.executable') === '' &&
    tactics.some((tactic) => explained.includes(tactic)) &&
    !tactics.some((tactic) => never.includes(tactic))
  );
}

const deviceFields = ['host.name', 'host.hostname', 'winlog.computer_name'];

/** The device of each rule whose event followed a deployment there, by case and rule. */
export async function readDeployments(tx: Tx, organisationId: number, rows: readonly RuleRow[]): Promise<Map<string, Citation>> {
  const counts = new Map<number, number>();
  const wanted = rows.flatMap((row) => {
    const place = isExplained(row) ? (counts.get(row.caseId) ?? 0) + 1 : maxRules + 1;
    if (place > maxRules) return [];
    counts.set(row.caseId, place);
    const device = deviceFields.map((field) => citedField(row.document, field)).find((each) => each !== undefined);
    return device ? [{ row, citation: { alertID: row.alertId, ...device } }] : [];
  });
  if (wanted.length === 0) return new Map();
  const found = await eventStore.newest(
    tx,
    { organisationIds: [organisationId] },
    wanted.map(({ row }) => ({
      devices: [row.deviceName!],
      start: row.at.getTime() - beforeMs,
      end: row.at.getTime() + 1,
      limit: maxEvents,
    })),
  );
  return new Map(
    wanted.flatMap(({ row, citation }, index): [string, Citation][] =>
      found[index]!.some(({ document }: StoredEvent) => isDeployment(document))
        ? [[`${row.caseId} ${row.ruleId}`, citation]]
        : [],
    ),
  );
}
