/** Entry point of the console. */
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import './style/base.css';
import './style/parts.css';
import './style/run.css';
import './style/dashboard.css';

const element = document.getElementById('console');
if (element === null) throw new Error('The page has no element with the id "console".');
createRoot(element).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
