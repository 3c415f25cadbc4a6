/** Settings of the documentation site: `npm run docs` builds it into `docs/.vitepress/dist`. */
import { defineConfig } from 'vitepress';
import { sidebar } from '../sidebar.ts';

export default defineConfig({
  title: 'Runyard',
  description: 'A self-hosted job execution engine.',
  markdown: {
    // References such as {{job.id}} are text of the documentation, not expressions of the site.
    config(md) {
      const renderCode = md.renderer.rules.code_inline;
      md.renderer.rules.code_inline = (tokens, index, ...rest) => {
        tokens[index]?.attrSet('v-pre', '');
        return renderCode?.(tokens, index, ...rest) ?? '';
      };
    },
  },
  themeConfig: {
    sidebar: sidebar.map(({ text, items }) => ({ text, items: [...items] })),
    outline: [2, 3],
    search: { provider: 'local' },
  },
});
