/** The profile picture: initials or picture, a new one chosen or dropped and cut square. */
import Button from '@mui/material/Button';
import { type UserDetail, usersApi } from '@parapet/contract/users.ts';
import { lazy, Suspense, useState } from 'react';
import { FilePicker } from '../../../kit/FilePicker.tsx';
import { call } from '../../../lib/call.ts';
import { PersonAvatar } from '../../../lib/PersonAvatar.tsx';
import { toast } from '../../../lib/toast.ts';
import { useUsersChanged } from '../users.queries.ts';
import { showOwn } from '../useUserActions.ts';

const CropDialog = lazy(() => import('../../../kit/CropDialog.tsx').then((module) => ({ default: module.CropDialog })));

const chosenTypes = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'];
/** Of the file that is cut; what is sent is far smaller. */
const maxChosenBytes = 20 * 1024 * 1024;

interface Props {
  user: UserDetail;
  onRemove: () => void;
  isRemoving: boolean;
}

export function PictureArea({ user, onRemove, isRemoving }: Props) {
  const changed = useUsersChanged();
  const [file, setFile] = useState<File>();
  const upload = async (png: Blob) => {
    const { profileURL } = await call(usersApi.uploadPicture, { params: { id: user.id }, body: png as never });
    showOwn(user.id, { profileURL });
    setFile(undefined);
    toast.success('The picture was saved', 'user');
    await changed();
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
              ? 'A deleted user keeps no picture.'
              : 'Your role cannot change this picture.'
        }
        actions={
          user.profileURL !== '' &&
          user.can.editPicture && (
            <Button size="small" onClick={onRemove} loading={isRemoving}>
              Remove picture
            </Button>
          )
        }
      >
        <PersonAvatar displayName={user.displayName} profileURL={user.profileURL} size={72} />
      </FilePicker>
      {file && (
        <Suspense>
          <CropDialog file={file} title="Cut the picture" onCancel={() => setFile(undefined)} onDone={upload} />
        </Suspense>
      )}
    </>
  );
}
