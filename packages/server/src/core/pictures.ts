/**
 * Re-encodes uploaded pictures: the stored PNG is our own and carries nothing of the file's other contents. Format and size are
 * read from the header and judged before anything is unpacked, so that a small file cannot become a huge picture.
 */
import { problem } from '@parapet/contract/problem.ts';

const starts = {
  png: /^\x89PNG\r\n\x1a\n/,
  jpeg: /^\xff\xd8\xff/,
  webp: /^RIFF[\s\S]{4}WEBP/,
} as const;
export type PictureFormat = keyof typeof starts;

export interface Drawing {
  /** Default png. */
  formats?: readonly PictureFormat[];
  maxBytes: number;
  /** Width × height. */
  maxPixels: number;
  isSquare?: boolean;
  /** A larger picture is made smaller until it fits, in its own proportions; a smaller one stays. */
  fit?: { width: number; height: number };
}

const refused = (text: string) => problem.invalid({ picture: [text] }, text);

/** The picture as a new PNG; throws `invalid` or `tooLarge` with what to do about it. */
export async function redraw(
  bytes: Buffer,
  { formats = ['png'], maxBytes, maxPixels, isSquare = false, fit }: Drawing,
): Promise<Buffer> {
  if (bytes.length > maxBytes)
    throw problem.tooLarge(`The picture has ${bytes.length} bytes; the maximum is ${maxBytes}. Choose a smaller one.`);
  const head = bytes.toString('latin1', 0, 12);
  // sharp supports formats that run programs or read other files; only these reach it.
  if (!formats.some((format) => starts[format].test(head)))
    throw refused(`This file is no ${formats.map((format) => format.toUpperCase()).join(', ')} picture. Choose another one.`);

  const { default: sharp } = await import('sharp');
  const options = { failOn: 'warning', limitInputPixels: maxPixels } as const;
  const broken = () => refused('This picture is damaged and cannot be read. Choose another one.');
  // Reads the header only, whatever size that states.
  const { width, height } = await sharp(bytes, { ...options, limitInputPixels: false })
    .metadata()
    .catch(() => {
      throw broken();
    });
  if (width * height > maxPixels) {
    const side = Math.floor(Math.sqrt(maxPixels));
    throw refused(`The picture has ${width} × ${height} pixels; the maximum is ${side} × ${side}. Choose a smaller one.`);
  }
  if (isSquare && width !== height)
    throw refused(`The picture has ${width} × ${height} pixels; it must be square. Crop it and try again.`);

  const picture = sharp(bytes, options).autoOrient();
  if (fit) picture.resize({ ...fit, fit: 'inside', withoutEnlargement: true });
  return picture
    .timeout({ seconds: 10 })
    .png({ compressionLevel: 9 })
    .toBuffer()
    .catch(() => {
      throw broken();
    });
}
