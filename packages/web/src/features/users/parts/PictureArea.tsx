/** Profile picture: initials or picture; a new one is chosen or dropped and cropped to a square. */
import Button from '@mui/material/Button';
import type { UserDetail } from '@parapet/contract/users.ts';
import { Suspense, useState } from 'react';
import { FilePicker } from '../../../kit/FilePicker.tsx';
import { lazyDialog } from '../../../lib/LazyDialog.tsx';
import { PersonAvatar } from '../../../lib/PersonAvatar.tsx';
import { useRemovePicture, useUploadPicture } from '../users.queries.ts';

const CropDialog = lazyDialog('the dialog', () => import('../../../kit/CropDialog.tsx').then((module) => module.CropDialog));

const chosenTypes = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'];
/** Limit of the chosen file; the cropped upload is far smaller. */
const maxChosenBytes = 20 * 1024 * 1024;

export function PictureArea({ user }: { user: UserDetail }) {
  const upload = useUploadPicture(user.id);
  const remove = useRemovePicture();
  const [file, setFile] = useState<File>();
  const save = async (png: Blob) => {
    await upload.mutateAsync({ params: { id: user.id }, body: png as never });
    setFile(undefined);
  };
  return (
    <>
      <FilePicker
        label="Choose a picture"
        types={chosenTypes}
        maxBytes={maxChosenBytes}
        onFile={setFile}
        refusal={
          user.can.editPicture
            ? undefined
            : user.isDeleted
              ? 'Deleted users have no picture.'
              : 'Your role can’t change this picture.'
        }
        actions={
          user.profileURL !== '' &&
          user.can.editPicture && (
            <Button size="small" onClick={() => remove.mutate(user)} loading={remove.isPending}>
              Remove picture
            </Button>
          )
        }
      >
        <PersonAvatar displayName={user.displayName} profileURL={user.profileURL} size={72} />
      </FilePicker>
      {file && (
        <Suspense>
          <CropDialog file={file} title="Crop picture" onClose={() => setFile(undefined)} onDone={save} />
        </Suspense>
      )}
    </>
  );
}
