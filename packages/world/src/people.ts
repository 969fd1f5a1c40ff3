/** People whose accounts occur in events. Names combine two lists by the seed's stream, so that they refer to no real person. */
import { type Site, sites } from './organisations.ts';
import { randomFor } from './random.ts';

export interface Person {
  organisationId: number;
  firstName: string;
  lastName: string;
  /** `mkowalski` */
  account: string;
  /** `ALDER\mkowalski` */
  windowsName: string;
  /** `mkowalski@alder.example` */
  email: string;
  department: string;
  /** Windows security identifier. */
  sid: string;
  /** Local hours, end exclusive. */
  startsAt: number;
  endsAt: number;
  isAdministrator: boolean;
}

const firstNames =
  'Ada Amara Anders Anouk Arlo Beatrix Bram Callum Carys Cora Dario Delia Edda Elio Emeka Esme Farid Fiona Gideon Greta Hana Hugo Ines Ivo Jasper Jonah Juno Kasimir Keira Lars Leila Lionel Mabel Magnus Mira Nadia Niko Odette Orla Pascal Petra Quentin Ramona Reza Rosalind Rufus Saskia Selma Silas Talia Theo Ulla Vera Viktor Wanda Wesley Xenia Yara Yusuf Zelda'.split(
    ' ',
  );
const lastNames =
  'Abara Achterberg Alvarado Ashdown Barlow Benning Brightwater Calloway Cardoso Castell Dahlgren Dawlish Delacroix Dunmore Eastlake Ekström Fairweather Falk Fontaine Garrick Gisborne Hallam Harrowgate Hearst Iversen Jansky Kavanagh Kessler Kingsley Kowalczyk Larkspur Lindholm Lockridge Marchetti Mendel Merriweather Mortlake Navarro Northcott Oakhurst Ostrander Pemberton Pellerin Quarles Radcliff Ravensdale Rosenthal Sandoval Silverton Stanhope Thackeray Tidewell Underhill Vasquez Verhoeven Wainwright Westergaard Whitlock Yardley Zielinski'.split(
    ' ',
  );
const departments = [
  'Finance',
  'Sales',
  'Operations',
  'Engineering',
  'Human Resources',
  'Purchasing',
  'Quality',
  'Support',
] as const;

const headcount: Record<number, number> = { 10: 44, 11: 16, 12: 24, 20: 20, 21: 10, 30: 20 };

function peopleOf(site: Site): Person[] {
  const random = randomFor('people', site.organisationId);
  const domainSid = `S-1-5-21-${random.int(1e9, 4e9)}-${random.int(1e9, 4e9)}-${random.int(1e9, 4e9)}`;
  const taken = new Set<string>();
  const people: Person[] = [];
  while (people.length < headcount[site.organisationId]!) {
    const firstName = random.pick(firstNames);
    const lastName = random.pick(lastNames);
    const account = `${firstName[0]}${lastName}`
      .toLowerCase()
      .normalize('NFD')
      .replace(/[^a-z]/g, '');
    if (taken.has(account)) continue;
    taken.add(account);
    const isAdministrator = people.length < 3;
    const startsAt = random.int(6, 9);
    people.push({
      organisationId: site.organisationId,
      firstName,
      lastName,
      account,
      windowsName: `${site.windowsDomain}\\${account}`,
      email: `${account}@${site.domain}`,
      department: isAdministrator ? 'IT' : departments[people.length % departments.length]!,
      sid: `${domainSid}-${1100 + people.length}`,
      startsAt,
      endsAt: startsAt + 9,
      isAdministrator,
    });
  }
  return people;
}

const byOrganisation = new Map(sites.map((site) => [site.organisationId, peopleOf(site)]));

/** Administrators (IT) come first. */
export const peopleAt = (organisationId: number): readonly Person[] => byOrganisation.get(organisationId) ?? [];
