/** Preview of a form's change. Its number stands in the address, so that a second person opens it with the change filled in. */
import Button from '@mui/material/Button';
import type { RuleChange } from '@parapet/contract/rulePreviews.ts';
import { useEffect } from 'react';
import type { FieldValues, UseFormReturn } from 'react-hook-form';
import { useSearchState } from '../../../lib/address.ts';
import { objectIdIn } from '../../../lib/pageLoader.ts';
import { showFormError } from '../../../lib/problems.ts';
import { useStartPreview } from '../rules.queries.ts';
import { PreviewResult, usePreview } from './PreviewResult.tsx';

/** Number of the preview in the address. */
export const usePreviewId = (): number | undefined => objectIdIn(useSearchState().search.preview);

type Kind = RuleChange['kind'];

/** Fills a form that is not dirty with the change that the address previews; `fill` must be stable. */
export function usePreviewedChange<K extends Kind>(
  kind: K,
  /** Undefined for a change that names its rule itself. */
  ruleID: string | undefined,
  isDirty: boolean,
  fill: (change: Extract<RuleChange, { kind: K }>) => void,
): void {
  const previewed = usePreview(usePreviewId()).data?.change;
  useEffect(() => {
    if (previewed?.kind === kind && (ruleID === undefined || previewed.ruleID === ruleID) && !isDirty)
      fill(previewed as Extract<RuleChange, { kind: K }>);
  }, [previewed, isDirty, ruleID, kind, fill]);
}

interface Props<V extends FieldValues> {
  form: UseFormReturn<V>;
  change: RuleChange;
  isReady: boolean;
  days?: number;
}

export function ChangePreview<V extends FieldValues>({ form, change, isReady, days = 30 }: Props<V>) {
  const { change: changeAddress } = useSearchState();
  const id = usePreviewId();
  const start = useStartPreview();
  const onPreview = () =>
    start.mutateAsync({ body: { change, days } }).then(
      (preview) => changeAddress({ preview: preview.id }, { replace: true }),
      (error) => showFormError(form, error),
    );
  return (
    <div className="is-wide" style={{ display: 'grid', gap: 12, justifyItems: 'start' }}>
      <Button variant="outlined" size="small" disabled={!isReady} loading={start.isPending} onClick={() => void onPreview()}>
        Preview, last {days} days
      </Button>
      {id !== undefined && <PreviewResult id={id} change={change} />}
    </div>
  );
}
