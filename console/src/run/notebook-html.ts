/**
 * An exported notebook as it may stand in a frame of the console: inert, and with links that lead where they
 * should.
 */

/**
 * The page without its scripts (its model for programs among them: the frame runs none, and the browser would
 * complain). Within a frame that has its text from here, links to a place of the page would lead to the
 * console: they are made full. All others open in a tab of their own.
 */
export function prepareNotebookHtml(html: string): string {
  // Nothing is run or loaded by reading it.
  const page = new DOMParser().parseFromString(html, 'text/html');
  for (const script of page.querySelectorAll('script')) script.remove();
  for (const link of page.querySelectorAll('a[href]')) {
    const target = link.getAttribute('href') ?? '';
    if (target.startsWith('#')) {
      link.setAttribute('href', `about:srcdoc${target}`);
    } else {
      link.setAttribute('target', '_blank');
      link.setAttribute('rel', 'noopener noreferrer');
    }
  }
  return `<!doctype html>\n${page.documentElement.outerHTML}`;
}
