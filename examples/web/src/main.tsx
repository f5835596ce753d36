import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { loadConfig } from './config.ts';
import './styles.css';

const root = createRoot(document.querySelector('#root')!);

// A browser may keep this document in its back/forward cache, even after the member has signed out in another tab.
window.addEventListener('pagehide', () => root.unmount());
window.addEventListener('pageshow', ({ persisted }) => {
  if (persisted) window.location.reload();
});

try {
  const config = await loadConfig();
  root.render(
    <StrictMode>
      <App config={config} />
    </StrictMode>,
  );
} catch {
  root.render(<p role="alert">The member portal cannot be shown at the moment. Please try again later.</p>);
}
