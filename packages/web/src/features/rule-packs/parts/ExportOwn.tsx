/** Exports the provider’s own rules that are part of no pack. */
import Button from '@mui/material/Button';
import { useState } from 'react';
import { exportPack } from '../exportPack.ts';

export function ExportOwn() {
  const [isSaving, setSaving] = useState(false);
  const save = () => {
    setSaving(true);
    void exportPack('own', 'own rules', 'own-rules.zip').finally(() => setSaving(false));
  };
  return (
    <Button loading={isSaving} onClick={save}>
      Export own rules
    </Button>
  );
}
