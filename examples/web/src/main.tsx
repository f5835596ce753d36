import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App, preloadPage } from './app/app.tsx';
import { applyBrand } from './brand/brand.ts';
import { loadConfig } from './config.ts';
import { loadSession } from './session/session.tsx';
import { currentLanguage } from './texts/language.ts';
import { loadTexts, WordingProvider } from './texts/texts.tsx';
import './design/styles/tokens.css';
import './design/styles/base.css';
import './design/styles/print.css';

const root = createRoot(document.querySelector('#root')!);

// A browser may keep this document in its back/forward cache, even after the member has signed out in another tab.
window.addEventListener('pagehide', () => root.unmount());
window.addEventListener('pageshow', ({ persisted }) => {
  if (persisted) window.location.reload();
});

try {
  const language = currentLanguage();
  const loading = Promise.all([loadConfig(), loadTexts(language)]);
  preloadPage(window.location.pathname);
  const [config, texts] = await loading;
  const session = await loadSession(config);
  applyBrand(config.brand ?? {});
  root.render(
    <StrictMode>
      <WordingProvider language={language} texts={texts}>
        <App config={config} session={session} />
      </WordingProvider>
    </StrictMode>,
  );
} catch {
  root.render(
    <main>
      <h1>Member portal</h1>
      <p role="alert">The member portal cannot be shown at the moment. Please try again later.</p>
    </main>,
  );
}
