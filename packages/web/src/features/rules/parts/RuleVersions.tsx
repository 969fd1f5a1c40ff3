/** Versions of a rule with their difference, and their life: draft, tested, shadow, live, retired. */
import Button from '@mui/material/Button';
import { type RuleDetail, type RuleState, type RuleVersion, rulesApi } from '@parapet/contract/detectionRules.ts';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import { FormDialog } from '../../../kit/FormDialog.tsx';
import { TextInput } from '../../../kit/fields.tsx';
import { resolverOf } from '../../../kit/form.ts';
import { Note } from '../../../kit/Note.tsx';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { Nothing, Row, Rows } from '../../../kit/rows.styles.ts';
import { Section } from '../../../kit/Section.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { showFormError } from '../../../lib/problems.ts';
import { useScope } from '../../../lib/scope.ts';
import { Difference } from '../../collectors/parts/Difference.tsx';
import { useChangeState } from '../rules.queries.ts';
import { stateText } from '../rules.ts';
import { RuleStateMark } from './RuleStateMark.tsx';
import { UpgradeDifference } from './UpgradeDifference.tsx';

const action: Record<RuleState, string> = {
  draft: 'Reopen as draft',
  tested: 'Run tests',
  shadow: 'Run in shadow',
  live: 'Go live',
  retired: 'Retire',
};

export function VersionsTab({ rule }: { rule: RuleDetail }) {
  const { timeZone } = useScope();
  const [shown, setShown] = useState<number>();
  const [changing, setChanging] = useState<{ version: RuleVersion; state: RuleState }>();
  if (rule.versions.length === 0)
    return <Nothing>No versions yet. The built-in text is in force, and follows each upgrade of the product.</Nothing>;
  const hasUpgrade = rule.baseYaml !== null && rule.builtInYaml !== null && rule.baseYaml !== rule.builtInYaml;
  return (
    <div style={{ display: 'grid', gap: 16 }}>
      {hasUpgrade && (
        <Section title="Built-in rule has changed" note="Since the newest version was made">
          <UpgradeDifference rule={rule} base={rule.baseYaml ?? ''} builtIn={rule.builtInYaml ?? ''} />
        </Section>
      )}
      <Rows aria-label="Versions">
        {rule.versions.map((version, index) => {
          const before = rule.versions[index + 1]?.yaml ?? rule.baseYaml ?? rule.builtInYaml ?? '';
          return (
            <Row key={version.id}>
              <div className="fields">
                <div style={{ display: 'flex', flexWrap: 'wrap', gap: '4px 12px', alignItems: 'center' }}>
                  <strong>Version {version.version}</strong>
                  <RuleStateMark state={version.state} />
                  <span>
                    <VisibleText text={version.author} /> <RelativeTime at={version.createdTime} timeZone={timeZone} />
                  </span>
                  {version.shadowMatches > 0 && <span>{version.shadowMatches} matches in shadow, last 30 days</span>}
                </div>
                {version.note && (
                  <div>
                    <VisibleText text={version.note} />
                  </div>
                )}
                {version.isStopped && (
                  <Note tone="warning">Shadow ended: more than {version.noiseBudget} matches within a day.</Note>
                )}
                {version.next.map(({ state, refusal }) => refusal && <Nothing key={state}>{refusal}</Nothing>)}
                {shown === version.id && (
                  <Difference before={before} after={version.yaml} label={`Changes of version ${version.version}`} />
                )}
              </div>
              <div className="buttons">
                <Button size="small" onClick={() => setShown(shown === version.id ? undefined : version.id)}>
                  {shown === version.id ? 'Hide changes' : 'Show changes'}
                </Button>
                {version.next.map(({ state, refusal }) => (
                  <Button
                    key={state}
                    size="small"
                    disabled={refusal !== null}
                    title={refusal ?? stateText[state]}
                    onClick={() => setChanging({ version, state })}
                  >
                    {action[state]}
                  </Button>
                ))}
              </div>
            </Row>
          );
        })}
      </Rows>
      {changing && <ChangeState {...changing} onClose={() => setChanging(undefined)} />}
    </div>
  );
}

interface Values {
  why: string;
}
const schema = z.object({ why: rulesApi.changeState.body.shape.why });

function ChangeState({ version, state, onClose }: { version: RuleVersion; state: RuleState; onClose: () => void }) {
  const change = useChangeState();
  const form = useForm<Values>({ defaultValues: { why: '' }, resolver: resolverOf<Values, unknown>(schema) });
  const onSave = ({ why }: Values) =>
    change.mutateAsync({ params: { id: version.id }, body: { state, why } }).then(onClose, (error) => showFormError(form, error));
  return (
    <FormDialog
      title={`${action[state]}: version ${version.version}?`}
      onClose={onClose}
      form={form}
      saveText={action[state]}
      onSave={onSave}
    >
      <Note>
        {state === 'retired'
          ? 'An edited rule returns to its built-in text; an own rule raises no more alerts.'
          : stateText[state]}
      </Note>
      <TextInput name="why" label="Reason" lines={2} isRequired maxLength={2000} />
    </FormDialog>
  );
}
