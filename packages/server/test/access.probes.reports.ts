/** Probes for reconciliation and reports; see access.probes.ts. */
import { object, organisation, overRange, type Probe } from './access.probes.kinds.ts';

const aMonth = { year: 2026, month: 3 };
const ofMonth = organisation(({ id }) => ({ params: { client: id, ...aMonth } }));

export const reportProbes: Record<string, Probe> = {
  'balance.get': overRange,
  'reports.get': ofMonth,
  'reports.pdf': ofMonth,
  'reports.csv': ofMonth,
  'reports.xlsx': ofMonth,
  'reports.listSchedules': organisation(({ id }) => ({ params: { client: id } })),
  'reports.addSchedule': organisation(({ id }) => ({
    params: { client: id },
    body: { dayOfMonth: 3, recipients: ['nobody@test.example'] },
  })),
  'reports.removeSchedule': organisation(({ id, things }) => ({ params: { client: id, schedule: things.scheduleId } })),
  'reports.startJob': organisation(({ id }) => ({ body: { clientOrganizationID: id, ...aMonth } }), { takesAll: true }),
  'reports.getJob': object(({ things }) => ({ params: { job: things.reportJobId } })),
  'reports.jobFile': object(({ things }) => ({ params: { job: things.reportJobId } })),
};
