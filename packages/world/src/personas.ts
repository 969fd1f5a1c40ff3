/** Demo accounts, one for each kind of user. They exist only in a demo. */

export const personaPassword = 'Parapet-Demo-2026!';

export interface Persona {
  persona: string;
  firstName: string;
  lastName: string;
  email: string;
  role: 'Host' | 'Administrator' | 'Analyst' | 'Partner Analyst' | 'Manager';
  organisationId: number;
  phoneNumber: string;
  /** Base32; undefined without MFA. */
  mfaSecret: string | undefined;
  /** Must set up MFA at the next sign-in. */
  mustEnrolMfa: boolean;
  isDeleted: boolean;
}

const persona = (
  key: string,
  displayName: string,
  email: string,
  role: Persona['role'],
  organisationId: number,
  phone: number,
  more: Partial<Persona> = {},
): Persona => {
  const [firstName = '', lastName = ''] = displayName.split(' ');
  return {
    persona: key,
    firstName,
    lastName,
    email,
    role,
    organisationId,
    phoneNumber: `+1 202 555 01${String(phone).padStart(2, '0')}`,
    mfaSecret: undefined,
    mustEnrolMfa: false,
    isDeleted: false,
    ...more,
  };
};

export const personas: readonly Persona[] = [
  persona('host', 'Harriet Okafor', 'host@parapet.example', 'Host', 1, 1),
  persona('providerAdmin', 'Anselm Vogt', 'admin@parapet.example', 'Administrator', 1, 2),
  persona('superAnalyst', 'Priya Raman', 'analyst@parapet.example', 'Analyst', 1, 3),
  persona('partnerAdmin', 'Maren Holloway', 'admin@harbor.example', 'Administrator', 2, 4),
  persona('partnerAnalyst', 'Tomas Lindqvist', 'analyst@harbor.example', 'Partner Analyst', 2, 5),
  persona('partnerSuperAnalyst', 'Imani Fletcher', 'triage@harbor.example', 'Analyst', 2, 6),
  persona('partnerManager', 'Gordon Pike', 'manager@harbor.example', 'Manager', 2, 7),
  persona('otherPartnerAdmin', 'Lucia Ferrante', 'admin@summit.example', 'Administrator', 3, 8),
  persona('clientAdmin', 'Ruth Aldana', 'admin@alder.example', 'Administrator', 10, 9),
  persona('manager', 'Stephen Moreau', 'manager@alder.example', 'Manager', 10, 10),
  persona('analyst', 'Noor Haddad', 'analyst@alder.example', 'Analyst', 10, 11),
  persona('otherClientAdmin', 'Beth Castellan', 'admin@birch.example', 'Administrator', 11, 12),
  persona('mfaUser', 'Felix Amador', 'mfa@alder.example', 'Analyst', 10, 13, { mfaSecret: 'JBSWY3DPEHPK3PXP' }),
  persona('mfaNewUser', 'Nadia Sorensen', 'mfa-new@alder.example', 'Analyst', 10, 14, { mustEnrolMfa: true }),
  persona('deletedUser', 'Oscar Bellamy', 'former@alder.example', 'Analyst', 10, 15, { isDeleted: true }),
];

export function personaOf(key: string): Persona {
  const found = personas.find((each) => each.persona === key);
  if (!found) throw new Error(`The world has no persona ${key}.`);
  return found;
}
