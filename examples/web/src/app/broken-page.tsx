import { Button } from '../design/button.tsx';
import { useTexts } from '../texts/texts.tsx';

/** Shown in place of a page that cannot be rendered. */
export const BrokenPage = () => {
  const { broken } = useTexts().errors;
  return (
    <div role="alert" className="failed">
      <h1>{broken.title}</h1>
      <p>{broken.body}</p>
      <Button look="quiet" onClick={() => window.location.reload()}>
        {broken.reload}
      </Button>
    </div>
  );
};
