/** Emergency contacts, in the order in which they are called. */
import Button from '@mui/material/Button';
import IconButton from '@mui/material/IconButton';
import { type ClientDetails, type EmergencyContact, organisationsApi } from '@parapet/contract/organisations.ts';
import { useContext } from 'react';
import { useFieldArray } from 'react-hook-form';
import { Fields, ReadOnlyContext, TextInput } from '../../../kit/fields.tsx';
import { AddRounded } from '../../../kit/icons/AddRounded.tsx';
import { ArrowDownwardRounded } from '../../../kit/icons/ArrowDownwardRounded.tsx';
import { ArrowUpwardRounded } from '../../../kit/icons/ArrowUpwardRounded.tsx';
import { DeleteOutlineRounded } from '../../../kit/icons/DeleteOutlineRounded.tsx';
import { Nothing, Row, Rows } from '../../../kit/rows.styles.ts';
import { PartForm } from './PartForm.tsx';

const maxContacts = 20;
const empty: EmergencyContact = { name: '', title: '', phoneNumber: '', emailAddress: '', hours: '' };

export function ContactsTab({ details }: { details: ClientDetails }) {
  return (
    <PartForm details={details} endpoint={organisationsApi.updateContacts} label="Contacts" valuesOf={({ contacts }) => contacts}>
      <Contacts />
    </PartForm>
  );
}

function Contacts() {
  const { fields, append, remove, move } = useFieldArray({ name: 'emergencyContacts', keyName: 'key' });
  const isReadOnly = useContext(ReadOnlyContext);
  return (
    <>
      {fields.length === 0 && <Nothing>No emergency contacts yet. Add who to call in an emergency.</Nothing>}
      <Rows aria-label="Emergency contacts">
        {fields.map(({ key }, index) => {
          const at = `emergencyContacts.${index}`;
          return (
            <Row key={key} aria-label={`Contact ${index + 1}`}>
              <div className="fields">
                <Fields least={230}>
                  <TextInput name={`${at}.name`} label="Name" isRequired maxLength={200} />
                  <TextInput name={`${at}.phoneNumber`} label="Phone number" type="tel" maxLength={40} />
                  <TextInput name={`${at}.emailAddress`} label="Email" type="email" maxLength={254} />
                  <TextInput name={`${at}.title`} label="Position" maxLength={200} />
                  <TextInput name={`${at}.hours`} label="Availability" maxLength={200} />
                </Fields>
              </div>
              {!isReadOnly && (
                <span className="buttons">
                  <IconButton
                    size="small"
                    aria-label={`Call contact ${index + 1} earlier`}
                    disabled={index === 0}
                    onClick={() => move(index, index - 1)}
                  >
                    <ArrowUpwardRounded fontSize="small" />
                  </IconButton>
                  <IconButton
                    size="small"
                    aria-label={`Call contact ${index + 1} later`}
                    disabled={index === fields.length - 1}
                    onClick={() => move(index, index + 1)}
                  >
                    <ArrowDownwardRounded fontSize="small" />
                  </IconButton>
                  <IconButton size="small" aria-label={`Remove contact ${index + 1}`} onClick={() => remove(index)}>
                    <DeleteOutlineRounded fontSize="small" />
                  </IconButton>
                </span>
              )}
            </Row>
          );
        })}
      </Rows>
      {!isReadOnly && (
        <div>
          <Button size="small" startIcon={<AddRounded />} disabled={fields.length >= maxContacts} onClick={() => append(empty)}>
            Add contact
          </Button>
        </div>
      )}
    </>
  );
}
