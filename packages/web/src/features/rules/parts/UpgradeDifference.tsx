/** Edited rule after an upgrade of the product: the built-in text before, the edit and the built-in text of now, with a merged draft. */
import Button from '@mui/material/Button';
import type { RuleDetail } from '@parapet/contract/detectionRules.ts';
import { useMemo, useState } from 'react';
import { useScope } from '../../../lib/scope.ts';
import { mergedText, threeWay } from '../threeWay.ts';
import { SaveDraft } from './RuleText.tsx';
import { ThreeWay } from './ThreeWay.tsx';

const columns = { base: 'Built-in before', own: 'Newest version here', theirs: 'Built-in now' };

interface Props {
  rule: RuleDetail;
  base: string;
  builtIn: string;
}

export function UpgradeDifference({ rule, base, builtIn }: Props) {
  const { may } = useScope();
  const [isSaving, setSaving] = useState(false);
  const own = rule.versions[0]!.yaml;
  const parts = useMemo(() => threeWay(base, own, builtIn), [base, own, builtIn]);
  const merged = mergedText(parts);
  return (
    <div style={{ display: 'grid', gap: 12, minWidth: 0 }}>
      <ThreeWay parts={parts} origin="upgrade" columns={columns} />
      {merged !== undefined && rule.canEdit && may('rules:write') && (
        <div>
          <Button variant="outlined" onClick={() => setSaving(true)}>
            Save merged draft
          </Button>
        </div>
      )}
      {isSaving && merged !== undefined && <SaveDraft rule={rule} text={merged} onClose={() => setSaving(false)} />}
    </div>
  );
}
