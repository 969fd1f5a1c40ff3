/**
 * The client selector. All (0) first, then each partner with its clients; for the provider’s staff partners are bold and their clients
 * indented (spec §6).
 */
import Autocomplete from '@mui/material/Autocomplete';
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import TextField from '@mui/material/TextField';
import type { ClientOrganization } from '@parapet/contract/organisations.ts';
import { useMemo } from 'react';
import { VisibleText } from '../../kit/VisibleText.tsx';
import { allClientsOption, type Offered, offeredClients } from './clients.ts';

const Option = styled('li')({
  fontSize: 14,
  '&&': { minHeight: 34, overflowWrap: 'anywhere' },
  '&&[data-kind=partner]': { fontWeight: 700 },
  '&&[data-kind=child]': { paddingLeft: 32 },
});
const width = { mt: '5px', width: 240, flex: '0 1 240px', minWidth: 44 } as const;

interface Props {
  clients: readonly ClientOrganization[];
  client: number;
  isIndented: boolean;
  failed: Error | null;
  onRetry: () => void;
  onChoose: (id: number) => void;
}

export function ClientSelector({ clients, client, isIndented, failed, onRetry, onChoose }: Props) {
  const options = useMemo<readonly Offered[]>(() => [allClientsOption, ...clients], [clients]);
  const selected = options.find((option) => option.id === client);
  if (failed && clients.length === 0) {
    return (
      <Button size="small" color="error" onClick={onRetry} title={failed.message}>
        Couldn’t load clients. Retry
      </Button>
    );
  }
  return (
    <Autocomplete
      size="small"
      sx={width}
      disableClearable
      disablePortal
      autoHighlight
      selectOnFocus
      handleHomeEndKeys
      filterOptions={(all, { inputValue }) => offeredClients(all, inputValue, client)}
      getOptionDisabled={(option) => option.isHint ?? false}
      loading={clients.length === 0}
      options={options}
      value={selected ?? { ...allClientsOption, id: client, name: '' }}
      isOptionEqualToValue={(option, value) => option.id === value.id}
      getOptionLabel={(option) => option.name}
      getOptionKey={(option) => option.id}
      noOptionsText="No matching clients"
      onChange={(_, option) => onChoose(option.id)}
      renderOption={({ key, ...props }, option) => (
        <Option
          key={key}
          {...props}
          data-kind={!isIndented || option.id <= 0 ? undefined : option.isPartner ? 'partner' : 'child'}
        >
          <VisibleText text={option.name} />
        </Option>
      )}
      renderInput={(params) => <TextField {...params} label="Client" />}
      slotProps={{ popper: { style: { minWidth: 280 }, placement: 'bottom-start' }, listbox: { sx: { maxHeight: '60vh' } } }}
    />
  );
}
