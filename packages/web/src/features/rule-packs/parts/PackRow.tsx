/** A pack with the states of its rules: change them together, update or export it. */
import Button from '@mui/material/Button';
import type { RulePack } from '@parapet/contract/rulePacks.ts';
import { useState } from 'react';
import { DefinitionList } from '../../../kit/DefinitionList.tsx';
import { exact } from '../../../kit/numbers.ts';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { Row } from '../../../kit/rows.styles.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { visibleText } from '../../../kit/visible.ts';
import { AppLink } from '../../../lib/AppLink.tsx';
import { paths } from '../../../lib/paths.ts';
import { useScope } from '../../../lib/scope.ts';
import { toast } from '../../../lib/toast.ts';
import { exportPack } from '../exportPack.ts';
import { useFetch } from '../packs.queries.ts';
import { statesText } from '../packs.ts';
import { ChangePack } from './ChangePack.tsx';

export function PackRow({ pack }: { pack: RulePack }) {
  const { timeZone, client } = useScope();
  const [isChanging, setChanging] = useState(false);
  const [isSaving, setSaving] = useState(false);
  const update = useFetch();
  const { id, name, origin, address, branch, folder, version, publisher, licence, signer, rules, changedTime } = pack;
  const label = visibleText(name);
  const save = () => {
    setSaving(true);
    const file = `${name.replace(/[^\w.-]+/g, '-')}${version ? `-${version.replace(/[^\w.-]+/g, '-')}` : ''}.zip`;
    void exportPack(id === null ? 'builtin' : String(id), label, file).finally(() => setSaving(false));
  };
  return (
    <Row aria-label={label}>
      <div className="fields">
        <strong style={{ overflowWrap: 'anywhere' }}>
          <VisibleText text={name} />
        </strong>
        {address && (
          <span style={{ overflowWrap: 'anywhere' }}>
            <VisibleText text={[address, branch, folder].filter(Boolean).join(' · ')} />
          </span>
        )}
        <DefinitionList
          minWidth={130}
          facts={[
            { name: 'Rules', value: exact(rules) },
            { name: 'States', value: statesText(pack) },
            ...(version ? [{ name: 'Version', value: <VisibleText text={version} /> }] : []),
            ...(publisher ? [{ name: 'Publisher', value: <VisibleText text={publisher} /> }] : []),
            ...(licence ? [{ name: 'Licence', value: <VisibleText text={licence} /> }] : []),
            ...(origin === 'builtIn' ? [] : [{ name: 'Signature', value: signer ?? 'Unsigned' }]),
            ...(changedTime ? [{ name: 'Accepted', value: <RelativeTime at={changedTime} timeZone={timeZone} /> }] : []),
          ]}
        />
      </div>
      <div className="buttons">
        {id !== null && (
          <Button component={AppLink} href={paths.rules({ client, pack: name })} size="small" aria-label={`Rules of ${label}`}>
            Rules
          </Button>
        )}
        {origin === 'git' && (
          <Button
            size="small"
            loading={update.isPending}
            aria-label={`Check ${label} for updates`}
            onClick={() =>
              update.mutate(
                { body: { name, address, branch, folder } },
                { onError: (error) => toast.error(`Couldn’t check ${label} for updates. ${error.message}`) },
              )
            }
          >
            Check for updates
          </Button>
        )}
        {id !== null && (
          <Button size="small" aria-label={`Change the state of ${label}`} onClick={() => setChanging(true)}>
            Change state
          </Button>
        )}
        <Button size="small" loading={isSaving} aria-label={`Export ${label}`} onClick={save}>
          Export
        </Button>
      </div>
      {isChanging && id !== null && <ChangePack id={id} name={name} onClose={() => setChanging(false)} />}
    </Row>
  );
}
