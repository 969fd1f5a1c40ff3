/** Values of the form for tickets at a PSA. Ids of a PSA are no names of fields, so lists are held by their places. */
import type { deliveriesApi } from '@parapet/contract/deliveries.ts';
import type { AnswerOf, InputOf } from '@parapet/contract/endpoint.ts';
import { type CaseStatus, caseStatusValues } from '@parapet/contract/rules/cases.ts';
import { severities } from '@parapet/contract/rules/values.ts';

export type TicketSetupAnswer = AnswerOf<typeof deliveriesApi.ticketSetup>;
export type TicketChoices = NonNullable<TicketSetupAnswer['choices']>;
type Body = InputOf<typeof deliveriesApi.saveTicketSetup>['body'];

/** Chosen nothing: an empty value would show no text in a select. */
export const none = '-';
const shownAs = (value: string | undefined): string => value || none;

export interface TicketValues {
  board: string;
  type: string;
  priorities: Record<string, string>;
  /** By place in `caseStatusValues`. */
  statuses: string[];
  /** By place of the PSA's status. */
  back: string[];
  /** By place of the PSA's custom field. */
  fields: string[];
  attachment: 'none' | 'report' | 'archive';
  hasTime: boolean;
  time: { type: string; role: string; person: string; isBillable: boolean; maxMinutes: number };
  /** By place of the client. */
  companies: string[];
}

/** Before anything is chosen: an hour at most, as a case may stay in work for days. */
const initialTime = { type: '', role: '', person: '', isBillable: true, maxMinutes: 60 };
const shownTime = (time: typeof initialTime) => ({
  ...time,
  type: shownAs(time.type),
  role: shownAs(time.role),
  person: shownAs(time.person),
});
const idOf = (value: string): string => (value === none ? '' : value);

/** Status of a case that a closed ticket means before anything is chosen. */
const initialBack = (isClosed: boolean): CaseStatus | '' => (isClosed ? 'closed' : '');

/** Status of a ticket for a closed case before anything is chosen: the only closed one. */
function initialStatus(status: CaseStatus, { statuses }: TicketChoices): string {
  const closed = statuses.filter(({ isClosed }) => isClosed);
  return status.endsWith('closed') && closed.length === 1 ? closed[0]!.id : '';
}

export function valuesOf({ setup, companies }: TicketSetupAnswer, choices: TicketChoices): TicketValues {
  return {
    board: setup?.board ?? '',
    type: setup?.type ?? '',
    priorities: Object.fromEntries(severities.map((severity) => [severity, shownAs(setup?.priorities[severity])])),
    statuses: caseStatusValues.map((status) => shownAs(setup ? setup.statuses[status] : initialStatus(status, choices))),
    back: choices.statuses.map(({ id, isClosed }) => shownAs(setup ? setup.back[id] : initialBack(isClosed))),
    fields: choices.fields.map(({ id }) => setup?.fields[id] ?? ''),
    attachment: setup?.attachment ?? 'none',
    hasTime: Boolean(setup?.time),
    time: shownTime(setup?.time ?? initialTime),
    companies: companies.map(({ companyId }) => companyId),
  };
}

export function inputOf(values: TicketValues, { companies }: TicketSetupAnswer, choices: TicketChoices): Body {
  const byPlace = <T extends string>(rows: readonly { id: string }[], list: readonly string[]) =>
    Object.fromEntries(
      rows.flatMap(({ id }, place) => (list[place] && list[place] !== none ? [[id, list[place] as T]] : [])),
    ) as Record<string, T>;
  return {
    setup: {
      board: values.board,
      type: choices.types.length === 0 ? '' : values.type,
      priorities: Object.fromEntries(Object.entries(values.priorities).filter(([, value]) => value !== none)),
      statuses: byPlace(
        caseStatusValues.map((id) => ({ id })),
        values.statuses,
      ),
      back: byPlace<CaseStatus>(choices.statuses, values.back),
      fields: byPlace(choices.fields, values.fields),
      attachment: values.attachment,
      time: values.hasTime ? timeOf(values.time) : null,
    },
    companies: companies.flatMap(({ clientId, companyId }, place) => {
      const chosen = values.companies[place] ?? '';
      return chosen === companyId ? [] : [{ clientId, companyId: chosen }];
    }),
  };
}

const timeOf = ({ type, role, person, isBillable, maxMinutes }: TicketValues['time']) => ({
  type: idOf(type),
  role: idOf(role),
  person: idOf(person),
  isBillable,
  maxMinutes: Number(maxMinutes),
});

/** Errors of the call by the names of the form; `sent` are the companies that were sent. */
export function formErrors(
  errors: Readonly<Record<string, string[]>>,
  { companies }: TicketSetupAnswer,
  choices: TicketChoices,
  sent: Body['companies'],
): Record<string, string[]> {
  const placeOf = (rows: readonly { id: string }[], id: string) => rows.findIndex((row) => row.id === id);
  const nameOf = (path: string): string => {
    const [, part = '', id = ''] = /^setup\.(\w+)(?:\.(.*))?$/.exec(path) ?? [];
    if (part === 'back') return `back.${placeOf(choices.statuses, id)}`;
    if (part === 'fields') return `fields.${placeOf(choices.fields, id)}`;
    if (part === 'statuses') return `statuses.${caseStatusValues.indexOf(id as CaseStatus)}`;
    if (part === 'time' && id === '') return 'hasTime';
    if (part !== '') return id === '' ? part : `${part}.${id}`;
    const index = /^companies\.(\d+)\./.exec(path)?.[1];
    const client = index === undefined ? undefined : sent[Number(index)]?.clientId;
    return client === undefined ? path : `companies.${companies.findIndex(({ clientId }) => clientId === client)}`;
  };
  return Object.fromEntries(Object.entries(errors).map(([path, texts]) => [nameOf(path), texts]));
}
