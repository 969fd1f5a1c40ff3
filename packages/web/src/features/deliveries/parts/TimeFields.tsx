/** Time entries of closings at a PSA. */
import { useWatch } from 'react-hook-form';
import { CheckInput, type Choice, Fields, SelectInput, TextInput } from '../../../kit/fields.tsx';
import { Section } from '../../../kit/Section.tsx';
import { visibleText } from '../../../kit/visible.ts';
import { none, type TicketChoices } from '../ticketForm.ts';

const parts = [
  { part: 'type', list: 'types', label: 'Work type' },
  { part: 'role', list: 'roles', label: 'Work role' },
  { part: 'person', list: 'people', label: 'Technician' },
] as const;

export function TimeFields({ choices, product }: { choices: TicketChoices['time']; product: string }) {
  const isOn = useWatch({ name: 'hasTime' }) === true;
  const hint = choices
    ? 'From the analyst’s first work to the closing, without waits for the client.'
    : `The account at ${product} may not read work types and roles.`;
  return (
    <Section title="Time">
      <CheckInput name="hasTime" label="Enter the handling time when a case closes" hint={hint} />
      {isOn && choices && (
        <Fields least={200}>
          {parts.map(({ part, list, label }) => {
            const isRequired = choices.required.includes(part);
            const first: Choice[] = isRequired ? [] : [{ value: none, label: 'Default' }];
            const rows = choices[list].map(({ id, label: name }) => ({ value: id, label: visibleText(name) }));
            return (
              rows.length > 0 && (
                <SelectInput
                  key={part}
                  name={`time.${part}`}
                  label={label}
                  isRequired={isRequired}
                  choices={[...first, ...rows]}
                />
              )
            );
          })}
          <TextInput name="time.maxMinutes" label="Minutes at most" type="number" hint="Of one closing, 1 to 1440" isRequired />
          <CheckInput name="time.isBillable" label="Billable" />
        </Fields>
      )}
    </Section>
  );
}
