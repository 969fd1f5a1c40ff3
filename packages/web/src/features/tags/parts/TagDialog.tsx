/** Adds tags to the selected devices of one organisation and removes them; creates and deletes tags. */
import Button from '@mui/material/Button';
import Checkbox from '@mui/material/Checkbox';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import IconButton from '@mui/material/IconButton';
import { styled } from '@mui/material/styles';
import type { Tag } from '@parapet/contract/tags.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../../../kit/ConfirmDialog.tsx';
import { DeleteOutlineRounded } from '../../../kit/icons/DeleteOutlineRounded.tsx';
import { counted } from '../../../kit/numbers.ts';
import { palette } from '../../../kit/palette.ts';
import { TextSkeleton } from '../../../kit/Skeletons.tsx';
import { FailedLine } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { changesOf, holdingOf, type Toggles } from '../tagChanges.ts';
import { tagsQuery, useDeleteTag, useTagDevices } from '../tags.queries.ts';
import { NewTag } from './NewTag.tsx';

interface TaggedDevice {
  uuid: string;
  name: string;
  deviceTags: readonly Tag[];
}

const List = styled('ul')({
  listStyle: 'none',
  margin: '0 0 16px',
  padding: 0,
  maxHeight: 320,
  overflowY: 'auto',
  border: `1px solid ${palette.divider}`,
  borderRadius: 8,
  '& li': { display: 'flex', alignItems: 'center', padding: '0 4px 0 2px' },
  '& li + li': { borderTop: `1px solid ${palette.divider}` },
  '& label': { display: 'flex', alignItems: 'center', flex: 1, minWidth: 0, cursor: 'pointer', overflowWrap: 'anywhere' },
  '& .some': { fontSize: 12, color: palette.text.secondary, marginLeft: 8, whiteSpace: 'nowrap' },
});
const Hint = styled('p')({ margin: '0 0 16px', color: palette.text.secondary });

interface Props {
  organisationId: number;
  devices: readonly TaggedDevice[];
  onClose: () => void;
  /** Called after the tags were saved. */
  onDone: () => void;
}

export function TagDialog({ organisationId, devices, onClose, onDone }: Props) {
  const query = useQuery(tagsQuery(organisationId));
  const tagDevices = useTagDevices();
  const remove = useDeleteTag();
  const [toggles, setToggles] = useState<Toggles>(new Map());
  const [deleting, setDeleting] = useState<Tag>();
  const tags = (query.data?.results ?? []).filter((tag) => tag.clientOrganizationID === organisationId && !tag.isDeleted);
  const known = new Set(tags.map((tag) => tag.id));
  const changes = changesOf(toggles, devices).filter((change) => known.has(change.id));
  const toggle = (id: number, isOn: boolean) => setToggles((old) => new Map(old).set(id, isOn));

  const save = () =>
    tagDevices.mutate({ body: { devices: devices.map((device) => device.uuid), tags: changes } }, { onSuccess: onDone });

  return (
    <Dialog open onClose={tagDevices.isPending ? undefined : onClose} maxWidth="xs" fullWidth aria-labelledby="tag-title">
      <DialogTitle id="tag-title" sx={{ fontSize: 16, fontWeight: 600, pb: 1 }}>
        Tag {devices.length === 1 ? <VisibleText text={devices[0]!.name} /> : counted(devices.length, 'data source')}
      </DialogTitle>
      <DialogContent>
        {query.error && !query.data ? (
          <FailedLine what="tags" error={query.error} onRetry={() => void query.refetch()} />
        ) : !query.data ? (
          <TextSkeleton lines={3} />
        ) : tags.length === 0 ? (
          <Hint>No tags yet. Tags group data sources, for example by site or criticality.</Hint>
        ) : (
          <List aria-label="Tags">
            {tags.map((tag) => {
              const holding = holdingOf(tag.id, devices);
              const toggled = toggles.get(tag.id);
              const isMixed = toggled === undefined && holding === 'some';
              return (
                <li key={tag.id}>
                  <label htmlFor={`tag-${tag.id}`}>
                    <Checkbox
                      id={`tag-${tag.id}`}
                      checked={toggled ?? holding === 'all'}
                      indeterminate={isMixed}
                      onChange={(event) => toggle(tag.id, event.target.checked)}
                    />
                    <VisibleText text={tag.name} />
                    {isMixed && <span className="some">on some</span>}
                  </label>
                  <IconButton
                    size="small"
                    aria-label={`Delete tag ${tag.name}`}
                    title="Delete tag"
                    onClick={() => setDeleting(tag)}
                  >
                    <DeleteOutlineRounded fontSize="small" />
                  </IconButton>
                </li>
              );
            })}
          </List>
        )}
        <NewTag organisationId={organisationId} tags={tags} onSaved={(id) => toggle(id, true)} />
      </DialogContent>
      <DialogActions sx={{ px: 3, pb: 2 }}>
        <Button onClick={onClose} disabled={tagDevices.isPending}>
          Cancel
        </Button>
        <Button
          variant="contained"
          onClick={save}
          disabled={changes.length === 0}
          loading={tagDevices.isPending}
          title={changes.length === 0 ? 'No changes yet' : undefined}
        >
          Save
        </Button>
      </DialogActions>
      <ConfirmDialog
        isOpen={deleting !== undefined}
        title="Delete the tag?"
        isBusy={remove.isPending}
        onNo={() => setDeleting(undefined)}
        onYes={() => deleting && remove.mutate({ body: { id: deleting.id } }, { onSettled: () => setDeleting(undefined) })}
      >
        The tag “<VisibleText text={deleting?.name ?? ''} />” is removed from all data sources. This cannot be undone.
      </ConfirmDialog>
    </Dialog>
  );
}
