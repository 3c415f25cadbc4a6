/** A button that saves a text as a file of the reader. */

interface SaveLinkProps {
  readonly text: string;
  readonly name: string;
  readonly type: 'text/plain' | 'text/html';
}

export function SaveLink({ text, name, type }: SaveLinkProps) {
  const save = (): void => {
    const url = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
    const link = document.createElement('a');
    link.href = url;
    link.download = name;
    link.click();
    URL.revokeObjectURL(url);
  };
  return <button type="button" className="link" onClick={save}>Save as a file</button>;
}
