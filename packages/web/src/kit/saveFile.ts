/** Offers a file to the browser as a download. */
export function saveFile(file: Blob, fileName: string): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  // The browser takes the file in its own time.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
