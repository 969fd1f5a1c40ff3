import { expect, test } from 'vitest';
import { formErrors, inputOf, type TicketChoices, type TicketSetupAnswer, valuesOf } from './ticketForm.ts';

const choices: TicketChoices = {
  companies: [{ id: '31', label: 'Alder Foods' }],
  boards: [{ id: '21', label: 'Alert' }],
  types: [],
  statuses: [
    { id: '1', label: 'New', isClosed: false },
    { id: '9', label: 'Closed', isClosed: true },
  ],
  priorities: [],
  fields: [{ id: 'Contract. No', label: 'Contract', isRequired: true, options: null }],
  time: { types: [{ id: '3', label: 'Remote' }], roles: [], people: [], required: [] },
  isPartial: false,
};
const answer: TicketSetupAnswer = {
  setup: null,
  companies: [
    { clientId: 5, clientName: 'Alder', companyId: '31', companyName: 'Alder Foods' },
    { clientId: 7, clientName: 'Birch', companyId: '', companyName: '' },
  ],
  choices,
  error: null,
  polledAt: null,
  pollError: null,
};

test('begins with closed tickets for closed cases, and the other way round', () => {
  const { setup } = inputOf(valuesOf(answer, choices), answer, choices);
  expect(setup.statuses).toEqual({ closed: '9', 'escalated:closed': '9' });
  expect(setup.back).toEqual({ 9: 'closed' });
  expect(setup.time).toBeNull();
});

test('keeps what was stored, whatever the ids of the PSA look like', () => {
  const setup = {
    board: '21',
    type: '',
    priorities: {},
    statuses: { open: '1' },
    back: { 1: 'open' as const },
    fields: { 'Contract. No': 'A-1' },
    time: { type: '3', role: '', person: '', isBillable: false, maxMinutes: 90 },
    attachment: 'report' as const,
  };
  const stored = { ...answer, setup };
  const input = inputOf(valuesOf(stored, choices), stored, choices);
  expect(input.setup).toMatchObject({
    board: '21',
    statuses: setup.statuses,
    back: setup.back,
    fields: setup.fields,
    time: setup.time,
    attachment: 'report',
  });
});

test('sends the companies that changed', () => {
  const values = { ...valuesOf(answer, choices), companies: ['31', '31'] };
  expect(inputOf(values, answer, choices).companies).toEqual([{ clientId: 7, companyId: '31' }]);
});

test('places errors at their inputs', () => {
  const errors = {
    'setup.board': ['Choose one.'],
    'setup.priorities.high': ['Gone.'],
    'setup.statuses.escalated:closed': ['Gone.'],
    'setup.back.9': ['Gone.'],
    'setup.fields.Contract. No': ['Required.'],
    'setup.time': ['No right.'],
    'setup.time.role': ['Gone.'],
    'companies.0.companyId': ['Gone.'],
  };
  expect(Object.keys(formErrors(errors, answer, choices, [{ clientId: 7, companyId: '99' }]))).toEqual([
    'board',
    'priorities.high',
    'statuses.6',
    'back.1',
    'fields.0',
    'hasTime',
    'time.role',
    'companies.1',
  ]);
});
