import { Button } from './button.tsx';

/** Shown in place of a page that cannot be rendered. */
export const BrokenPage = () => (
  <div role="alert" className="failed">
    <h1>This page cannot be shown</h1>
    <p>Something went wrong. Please try again later.</p>
    <Button look="quiet" onClick={() => window.location.reload()}>
      Reload the page
    </Button>
  </div>
);
