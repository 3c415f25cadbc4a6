/** Preparation of exported notebooks for the frame of the console. */

/**
 * Removes scripts, which the frame would block with an error. Makes fragment links absolute, because in a
 * srcdoc frame they would resolve against the console. All other links open in a new tab.
 */
export function prepareNotebookHtml(html: string): string {
  // DOMParser runs no scripts and loads no resources.
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
