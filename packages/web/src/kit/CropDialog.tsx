/** Cuts a square out of a chosen picture: drag or arrow keys move it, the sliders change zoom and frame. What comes out is a PNG. */
import 'react-easy-crop/react-easy-crop.css';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import Slider from '@mui/material/Slider';
import { styled } from '@mui/material/styles';
import { type RefObject, useEffect, useId, useRef, useState } from 'react';
import Cropper from 'react-easy-crop';
import { type Area, cutOut, minZoom } from './crop.ts';
import { nonce } from './nonce.ts';

/** px on the screen (spec §2.5: 100×100 at first, always square). */
const defaultFrame = 100;
const largestFrame = 240;
const maxZoom = 8;

const Stage = styled('div')({
  position: 'relative',
  height: 280,
  borderRadius: 8,
  overflow: 'hidden',
  backgroundColor: '#101217',
});
const Label = styled('label')({ display: 'block', marginTop: 12, fontSize: 13 });

interface Props {
  file: Blob;
  title: string;
  onClose: () => void;
  onDone: (png: Blob) => Promise<void>;
}

export function CropDialog({ file, title, onClose, onDone }: Props) {
  const id = useId();
  const [url, setUrl] = useState<string>();
  const [crop, setCrop] = useState({ x: 0, y: 0 });
  const [zoom, setZoom] = useState(1);
  const [frame, setFrame] = useState(defaultFrame);
  const [shown, setShown] = useState({ width: 0, height: 0 });
  const [area, setArea] = useState<Area>();
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<string>();
  const image = useRef<RefObject<HTMLImageElement> | null>(null);
  useEffect(() => {
    const made = URL.createObjectURL(file);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [file]);
  const least = minZoom(frame, shown);

  const save = async () => {
    if (!area || !image.current?.current) return;
    setBusy(true);
    setFault(undefined);
    try {
      await onDone(await cutOut(image.current.current, area));
    } catch (error) {
      setFault(error instanceof Error ? error.message : 'The picture could not be saved.');
    }
    setBusy(false);
  };

  return (
    <Dialog open onClose={onClose} aria-labelledby={`${id}title`} maxWidth="xs" fullWidth>
      <DialogTitle id={`${id}title`} sx={{ fontSize: 16, fontWeight: 650, pb: 1 }}>
        {title}
      </DialogTitle>
      <DialogContent>
        <Stage>
          {url && (
            <Cropper
              image={url}
              nonce={nonce}
              crop={crop}
              zoom={zoom}
              minZoom={least}
              maxZoom={least * maxZoom}
              aspect={1}
              cropSize={{ width: frame, height: frame }}
              keyboardStep={4}
              onCropChange={setCrop}
              onZoomChange={setZoom}
              onCropComplete={(_, pixels) => setArea(pixels)}
              onMediaLoaded={(media) => {
                setShown(media);
                setZoom(minZoom(frame, media));
              }}
              setImageRef={(ref) => {
                image.current = ref;
              }}
              mediaProps={{
                alt: '',
                onError: () => setFault('This file isn’t a picture that the browser can show. Choose another one.'),
              }}
              cropperProps={{ 'aria-label': 'Part of the picture; arrow keys move it', role: 'group' }}
              // Its own way of adding styles is one that the page's policy forbids.
              disableAutomaticStylesInjection
            />
          )}
        </Stage>
        <Label id={`${id}zoom`}>Zoom</Label>
        <Slider
          size="small"
          aria-labelledby={`${id}zoom`}
          min={100}
          max={maxZoom * 100}
          step={5}
          value={Math.round((zoom / least) * 100)}
          onChange={(_, percent) => setZoom((least * percent) / 100)}
          valueLabelDisplay="auto"
          valueLabelFormat={(percent) => `${percent}%`}
          getAriaValueText={(percent) => `${percent}%`}
        />
        <Label id={`${id}frame`}>Frame</Label>
        <Slider
          size="small"
          aria-labelledby={`${id}frame`}
          min={defaultFrame}
          max={largestFrame}
          step={10}
          value={frame}
          onChange={(_, next) => {
            setFrame(next);
            setZoom(Math.max(zoom, minZoom(next, shown)));
          }}
          valueLabelDisplay="auto"
          getAriaValueText={(pixels) => `${pixels} pixels`}
        />
        {fault && (
          <p role="alert" style={{ margin: '12px 0 0', color: 'var(--mui-palette-error-main)' }}>
            {fault}
          </p>
        )}
      </DialogContent>
      <DialogActions sx={{ px: 3, pb: 2 }}>
        <Button onClick={onClose}>Cancel</Button>
        <Button variant="contained" onClick={() => void save()} loading={isBusy} disabled={!area || shown.width === 0}>
          Save picture
        </Button>
      </DialogActions>
    </Dialog>
  );
}
