/** Form that creates a key, and its value, which is shown only once. */
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import { type ReactNode, useId } from 'react';
import type { FieldValues, UseFormReturn } from 'react-hook-form';
import { Form } from './Form.tsx';
import { TextInput } from './fields.tsx';
import { Note } from './Note.tsx';

interface Props<Values extends FieldValues> {
  /** "New API key". */
  title: string;
  /** Noun of the new thing: "key". */
  thing?: string;
  /** After creation: "API key created". */
  madeTitle: string;
  /** Has the field `name`. */
  form: UseFormReturn<Values, unknown, Values>;
  onMake: (values: Values) => Promise<void>;
  onClose: () => void;
  /** Purposes to choose from. */
  hint: string;
  /** Fields after the name. */
  fields?: ReactNode;
  /** The key's text and what is done with it; undefined until it is made. */
  made: ReactNode;
}

export function NewKey<Values extends FieldValues>(props: Props<Values>) {
  const { title, thing = 'key', madeTitle, form, onMake, onClose, hint, fields, made } = props;
  const id = useId();
  return (
    // Once the key is shown, only its button closes: a slip of the hand would lose it.
    <Dialog open onClose={made ? undefined : onClose} aria-labelledby={id} maxWidth="sm" fullWidth>
      <DialogTitle id={id} sx={{ fontSize: 16, fontWeight: 650, pb: 1 }}>
        {made ? madeTitle : title}
      </DialogTitle>
      {made ? (
        <>
          <DialogContent>
            <Note tone="warning">Copy it now. It won’t be shown again.</Note>
            {made}
          </DialogContent>
          <DialogActions sx={{ px: 3, pb: 2 }}>
            <Button variant="contained" onClick={onClose}>
              I have copied it
            </Button>
          </DialogActions>
        </>
      ) : (
        <DialogContent>
          <div style={{ paddingTop: 8 }}>
            <Form
              form={form}
              label={title}
              onSave={onMake}
              isNew
              saveText={`Create ${thing}`}
              actions={<Button onClick={onClose}>Cancel</Button>}
            >
              <TextInput
                name="name"
                label={`${thing[0]?.toUpperCase()}${thing.slice(1)} name`}
                isRequired
                hint={hint}
                maxLength={200}
              />
              {fields}
            </Form>
          </div>
        </DialogContent>
      )}
    </Dialog>
  );
}
