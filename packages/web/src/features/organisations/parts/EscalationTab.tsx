/** Recipients of case emails, in To or in Cc. */
import Button from '@mui/material/Button';
import IconButton from '@mui/material/IconButton';
import { type ClientDetails, organisationsApi } from '@parapet/contract/organisations.ts';
import { useContext } from 'react';
import { useFieldArray } from 'react-hook-form';
import { Fields, ReadOnlyContext, SelectInput, TextInput } from '../../../kit/fields.tsx';
import { AddRounded } from '../../../kit/icons/AddRounded.tsx';
import { DeleteOutlineRounded } from '../../../kit/icons/DeleteOutlineRounded.tsx';
import { Nothing, Row, Rows } from '../../../kit/rows.styles.ts';
import { PartForm } from './PartForm.tsx';

const maxAddresses = 50;
const kinds = [
  { value: 'to', label: 'To' },
  { value: 'cc', label: 'Cc' },
];

export function EscalationTab({ details }: { details: ClientDetails }) {
  return (
    <PartForm
      details={details}
      endpoint={organisationsApi.updateEscalation}
      label="Escalation"
      valuesOf={({ escalation }) => escalation}
    >
      <Addresses />
    </PartForm>
  );
}

function Addresses() {
  const { fields, append, remove } = useFieldArray({ name: 'escalationEmailAddresses', keyName: 'key' });
  const isReadOnly = useContext(ReadOnlyContext);
  return (
    <>
      {fields.length === 0 && <Nothing>No addresses yet. Case emails have no recipient.</Nothing>}
      <Rows aria-label="Escalation addresses">
        {fields.map(({ key }, index) => (
          <Row key={key} aria-label={`Address ${index + 1}`}>
            <div className="fields">
              <Fields least={180}>
                <TextInput
                  name={`escalationEmailAddresses.${index}.emailAddress`}
                  label="Email"
                  type="email"
                  isRequired
                  maxLength={254}
                />
                <SelectInput name={`escalationEmailAddresses.${index}.emailType`} label="Recipient field" choices={kinds} />
              </Fields>
            </div>
            {!isReadOnly && (
              <span className="buttons">
                <IconButton size="small" aria-label={`Remove address ${index + 1}`} onClick={() => remove(index)}>
                  <DeleteOutlineRounded fontSize="small" />
                </IconButton>
              </span>
            )}
          </Row>
        ))}
      </Rows>
      {!isReadOnly && (
        <div>
          <Button
            size="small"
            startIcon={<AddRounded />}
            disabled={fields.length >= maxAddresses}
            onClick={() => append({ id: 0, emailType: 'to', emailAddress: '' })}
          >
            Add address
          </Button>
        </div>
      )}
    </>
  );
}
