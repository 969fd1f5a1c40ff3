/** Company of a client at the PSA, found by typing a part of its name. */
import Autocomplete from '@mui/material/Autocomplete';
import TextField from '@mui/material/TextField';
import { useController } from 'react-hook-form';

interface Company {
  id: string;
  label: string;
}

const maxShown = 100;

export function CompanyInput({ name, label, companies }: { name: string; label: string; companies: readonly Company[] }) {
  const { field, fieldState } = useController({ name });
  const chosen = companies.find(({ id }) => id === field.value) ?? null;
  return (
    <Autocomplete
      size="small"
      options={companies}
      value={chosen}
      onChange={(_event, company) => field.onChange(company?.id ?? '')}
      onBlur={field.onBlur}
      getOptionKey={({ id }) => id}
      isOptionEqualToValue={(one, other) => one.id === other.id}
      filterOptions={(all, { inputValue }) => {
        const typed = inputValue.trim().toLowerCase();
        return all.filter((company) => company.label.toLowerCase().includes(typed)).slice(0, maxShown);
      }}
      noOptionsText="No such company"
      renderInput={(params) => (
        <TextField
          {...params}
          inputRef={field.ref}
          label={label}
          placeholder="None"
          error={fieldState.error !== undefined}
          helperText={fieldState.error?.message}
        />
      )}
    />
  );
}
