/** Dialog with a form and Cancel beside its button. */
import Button from '@mui/material/Button';
import type { FieldValues } from 'react-hook-form';
import { Form, type FormProps } from './Form.tsx';
import { Modal, type ModalProps } from './Modal.tsx';

type FormDialogProps<Values extends FieldValues> = Omit<FormProps<Values>, 'actions' | 'isNew' | 'label'> &
  Pick<ModalProps, 'maxWidth' | 'title'> & {
    /** Accessible name of the form; required where the title is not plain text. */
    label?: string;
    onClose: () => void;
  };

export function FormDialog<Values extends FieldValues>({ title, label, onClose, maxWidth, ...form }: FormDialogProps<Values>) {
  return (
    <Modal title={title} onClose={onClose} {...(maxWidth ? { maxWidth } : {})}>
      <div style={{ paddingTop: 8 }}>
        <Form {...form} label={label ?? String(title)} isNew actions={<Button onClick={onClose}>Cancel</Button>} />
      </div>
    </Modal>
  );
}
