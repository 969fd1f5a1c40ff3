/** Words and times of the rota. */
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import type { onCallApi } from '@parapet/contract/onCall.ts';

export type Rota = AnswerOf<typeof onCallApi.get>;

export const placeLabels: Readonly<Record<number, string>> = { 1: 'called first', 2: 'called next', 3: 'called last' };
export const placeChoices = Object.entries(placeLabels).map(([value, label]) => ({
  value: Number(value),
  label: label.charAt(0).toUpperCase() + label.slice(1),
}));

/** Sets of days on which a shift begins. */
export const dayChoices = [
  { value: '1,2,3,4,5,6,7', label: 'Every day' },
  { value: '1,2,3,4,5', label: 'Monday to Friday' },
  { value: '6,7', label: 'Saturday and Sunday' },
  ...['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'].map((label, index) => ({
    value: String(index + 1),
    label,
  })),
];

export const daysIn = (text: string): number[] => text.split(',').map(Number);
/** Days of a stored shift as a choice; others are offered as they are. */
export const dayChoicesWith = (days: readonly number[]) => {
  const value = [...days].sort((one, other) => one - other).join(',');
  return dayChoices.some((choice) => choice.value === value) ? dayChoices : [...dayChoices, { value, label: `Days ${value}` }];
};
