/** Before unsaved changes are left behind. */
import { ConfirmDialog } from './ConfirmDialog.tsx';

export function UnsavedDialog(props: { isOpen: boolean; onNo: () => void; onYes: () => void }) {
  return (
    <ConfirmDialog title="Leave without saving?" {...props}>
      What you changed on this page is not saved and will be lost.
    </ConfirmDialog>
  );
}
