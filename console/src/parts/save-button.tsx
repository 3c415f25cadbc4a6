/** Button that saves a text as a file. */

interface SaveButtonProps {
  readonly text: string;
  readonly fileName: string;
  readonly type: 'text/plain' | 'text/html';
}

/** Saves a blob as a download of the browser. */
export function saveBlob(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

export function SaveButton({ text, fileName, type }: SaveButtonProps) {
  const save = (): void => saveBlob(new Blob([text], { type: `${type};charset=utf-8` }), fileName);
  return (
    <button type="button" className="link" onClick={save}>
      Save as file
    </button>
  );
}
