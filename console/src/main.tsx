/** Where the console begins: in the element of the page that is left for it. */
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import './style/base.css';
import './style/parts.css';
import './style/run.css';
import './style/dashboard.css';
import './style/dashboard.css';

const element = document.getElementById('console');
if (element === null) throw new Error('The page has no element for the console.');
createRoot(element).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
