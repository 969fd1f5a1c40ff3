/** Clients and people that a journey creates for itself by the API, as a Host. */
import { roleIds } from '@parapet/contract/rules/values.ts';
import { send, signInAs } from './api.ts';
import { newUserPassword } from './fixtures.ts';

async function created<T>(answer: Response): Promise<T> {
  if (!answer.ok) throw new Error(`${answer.url}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as T;
}

/** A client of the partner with one escalation address and without compulsory MFA; returns its organisation ID. */
export async function newClient(url: string, host: string, partner: number, name: string, escalatesTo: string): Promise<number> {
  const { id } = await created<{ id: number }>(
    await send(url, host, '/clientorganization', {
      general: {
        ...{ name, phoneNumber: '', emailAddress: '', websiteURL: '', industry: '', subscriptionLevelID: 1 },
        addressData: { street: '', suite: '', city: '', state: '', zipCode: '' },
      },
      isPartner: false,
      partnerClientOrgID: partner,
    }),
  );
  const put = (part: string, body: unknown) =>
    fetch(`${url}/api/v1/clientorganization/${id}/${part}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${host}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  await created(await put('escalation', { escalationEmailAddresses: [{ id: 0, emailType: 'to', emailAddress: escalatesTo }] }));
  await created(await put('signInPolicy', { isMfaCompulsory: false, allowsFirstMatchByEmail: false, singleSignOn: null }));
  return id;
}

/** A manager of the client; returns a session. */
export async function newManager(url: string, host: string, client: number, emailAddress: string): Promise<string> {
  await created(
    await send(url, host, '/user', {
      ...{ firstName: 'Greta', lastName: 'Larch', emailAddress, phoneNumber: '' },
      ...{ password: newUserPassword, confirmPassword: newUserPassword },
      UserRoleID: roleIds.manager,
      clientOrganizationID: client,
    }),
  );
  return signInAs(url, emailAddress, newUserPassword);
}
