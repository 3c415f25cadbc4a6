/**
 * Markdown of text boxes. HTML in it is shown as text, and links lead to the web alone: so nothing in it can
 * run.
 */
import MarkdownIt from 'markdown-it';
import { useMemo } from 'react';

const renderer = new MarkdownIt({ html: false, linkify: true });
// A picture from elsewhere would tell its server who looks, and the policy of the page refuses it anyway.
renderer.disable('image');

export function Markdown({ text }: { readonly text: string }) {
  const html = useMemo(() => ({ __html: renderer.render(text) }), [text]);
  return <div className="markdown" dangerouslySetInnerHTML={html} />;
}
