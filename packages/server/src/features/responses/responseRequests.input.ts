/** Validation of a request's target before it enters the ledger. */
import { problem } from '@parapet/contract/problem.ts';
import type { Tx } from '../../core/db/scope.ts';
import type { CaseRecord } from '../cases/cases.ports.ts';
import type { Input } from './responses.deps.ts';
import type { ResponseRequest } from './responses.request.ts';
import { kindOf } from './responses.rules.ts';
import { findArtifact, findDeviceOfCase, findUserOfCase } from './responses.store.ts';
import { findDevice } from './responses.targets.ts';

/** Limit of the index that keeps a request unique. */
const maxTargetBytes = 2_000;

/** The account in the spelling of the case's alerts, or as it was written. */
const accountNamed = async (tx: Tx, record: CaseRecord | undefined, target: string): Promise<string> =>
  (record && ((await findUserOfCase(tx, record, target)) ?? (await findArtifact(tx, record, target, ['user'])))) ?? target;

/** Checks a request's input and resolves its device and account to the portal's spelling. Throws invalid. */
export async function resolveRequest(
  tx: Tx,
  record: CaseRecord | undefined,
  body: Input<'request', 'body'>,
): Promise<ResponseRequest> {
  const { clientOrganizationID: organisationId, action, target, deviceName, expectedName, releaseAfterHours, note } = body;
  const deviceNamed = async (field: 'target' | 'deviceName', name: string): Promise<string> => {
    const found = (await findDevice(tx, organisationId, name)) ?? (record && (await findDeviceOfCase(tx, record, name)));
    if (found === undefined)
      throw problem.invalid({
        [field]: [`There is no device "${name}" of this client${record ? ', and none in this case' : ''}.`],
      });
    return found;
  };
  if (Buffer.byteLength(`${target}${deviceName}`.toLowerCase()) > maxTargetBytes)
    throw problem.invalid({ target: [`Too long: at most ${maxTargetBytes} bytes with the device’s name.`] });
  if (/\p{Cc}/u.test(target)) throw problem.invalid({ target: ['Write this on one line, without control characters.'] });
  const { acknowledgesWarning } = body;
  const request = { organisationId, action, expectedName, releaseHours: releaseAfterHours, note, acknowledgesWarning };
  if (kindOf({ action }).flag === 'deviceIsolated') return { ...request, target: await deviceNamed('target', target) };
  if (kindOf({ action }).isOfDirectory) return { ...request, target: await accountNamed(tx, record, target) };
  const device = deviceName === '' ? null : await deviceNamed('deviceName', deviceName);
  if (action === 'blockUser' || action === 'unblockUser')
    return { ...request, target: await accountNamed(tx, record, target), deviceName: device };
  if (device === null) throw problem.invalid({ deviceName: ['Select the device.'] });
  if (action === 'killProcess' && !/^[1-9]\d{0,9}$/.test(target))
    throw problem.invalid({ target: ['Enter the process ID, a number.'] });
  if (action === 'killProcess' && expectedName === '')
    throw problem.invalid({ expectedName: ['Enter the program expected at this process ID, so that no other is ended.'] });
  if (action === 'collectFile' && !target.startsWith('/') && !/^[A-Za-z]:\\/.test(target))
    throw problem.invalid({ target: ['Enter the full path of the file, such as /var/log/auth.log.'] });
  return { ...request, target, deviceName: device };
}
