/** Markdown of text boxes. HTML is shown as text and only web links are allowed, so no script can run. */
import MarkdownIt from 'markdown-it';
import { useMemo } from 'react';

const renderer = new MarkdownIt({ html: false, linkify: true });
// An external image would reveal the viewer to its server; the content security policy blocks it anyway.
renderer.disable('image');

export function Markdown({ text }: { readonly text: string }) {
  const html = useMemo(() => ({ __html: renderer.render(text) }), [text]);
  return <div className="markdown" dangerouslySetInnerHTML={html} />;
}
