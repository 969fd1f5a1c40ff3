/** An import: its progress, failure or result. */
import Button from '@mui/material/Button';
import LinearProgress from '@mui/material/LinearProgress';
import type { PackImport } from '@parapet/contract/rulePacks.ts';
import { DefinitionList } from '../../../kit/DefinitionList.tsx';
import { Note } from '../../../kit/Note.tsx';
import { exact } from '../../../kit/numbers.ts';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { Row } from '../../../kit/rows.styles.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { visibleText } from '../../../kit/visible.ts';
import { AppLink } from '../../../lib/AppLink.tsx';
import { paths } from '../../../lib/paths.ts';
import { useScope } from '../../../lib/scope.ts';
import { useDiscard } from '../packs.queries.ts';
import { importLabel, isUnderWay } from '../packs.ts';

export function ImportRow({ packImport }: { packImport: PackImport }) {
  const { timeZone, client } = useScope();
  const discard = useDiscard();
  const { id, name, state, version, failure, requestedBy, requestedTime, read, files, counts } = packImport;
  return (
    <Row aria-label={visibleText(name)}>
      <div className="fields">
        <strong style={{ overflowWrap: 'anywhere' }}>
          <VisibleText text={name} /> <VisibleText text={version} />
        </strong>
        <span>
          {importLabel[state]} · <VisibleText text={requestedBy} /> <RelativeTime at={requestedTime} timeZone={timeZone} />
        </span>
        {isUnderWay(packImport) && (
          <LinearProgress
            aria-label={importLabel[state]}
            variant={files === 0 ? 'indeterminate' : 'determinate'}
            value={files === 0 ? 0 : (100 * read) / files}
          />
        )}
        {failure && (
          <Note tone="warning">
            <VisibleText text={failure} />
          </Note>
        )}
        {state === 'ready' && (
          <DefinitionList
            minWidth={110}
            facts={[
              { name: 'New', value: exact(counts.new ?? 0) },
              { name: 'Changed', value: exact((counts.changed ?? 0) + (counts.edited ?? 0)) },
              { name: 'Removed', value: exact(counts.removed ?? 0) },
              { name: 'Left out', value: exact((counts.duplicate ?? 0) + (counts.inUse ?? 0) + (counts.refused ?? 0)) },
            ]}
          />
        )}
      </div>
      <div className="buttons">
        {state === 'ready' && (
          <Button
            component={AppLink}
            href={paths.ruleImport(id, { client })}
            size="small"
            variant="contained"
            aria-label={`Review ${visibleText(name)}`}
          >
            Review
          </Button>
        )}
        <Button
          size="small"
          loading={discard.isPending}
          aria-label={`Discard the import of ${visibleText(name)}`}
          onClick={() => discard.mutate({ params: { id } })}
        >
          Discard
        </Button>
      </div>
    </Row>
  );
}
