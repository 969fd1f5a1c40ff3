/** Cuts a square out of a picture. */

export interface Area {
  x: number;
  y: number;
  width: number;
  height: number;
}

export const maxPixels = 512;

/** The edge of the picture that comes out: never larger than the cropped area, never larger than the most. */
export const edgeOf = (area: Area): number => Math.max(1, Math.min(maxPixels, Math.round(Math.min(area.width, area.height))));

/** The zoom at which the picture's shorter side just fills the frame; `shown` is its size at zoom 1. */
export const minZoom = (frame: number, shown: { width: number; height: number }): number =>
  shown.width > 0 && shown.height > 0 ? frame / Math.min(shown.width, shown.height) : 1;

export async function cutOut(image: HTMLImageElement, area: Area): Promise<Blob> {
  const edge = edgeOf(area);
  const canvas = document.createElement('canvas');
  canvas.width = edge;
  canvas.height = edge;
  const context = canvas.getContext('2d');
  if (!context) throw new Error('This browser can’t crop pictures.');
  context.imageSmoothingQuality = 'high';
  context.drawImage(image, area.x, area.y, area.width, area.height, 0, 0, edge, edge);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  if (!blob) throw new Error('Couldn’t crop the picture. Choose another one.');
  return blob;
}
