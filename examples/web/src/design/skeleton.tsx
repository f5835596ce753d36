import { useTexts } from '../texts/texts.tsx';
import './skeleton.css';

/** More than the tallest container shows. */
const lines = 32;

/** Rows in place of content that is loading. Its container reserves the height (`--usual-height`). */
export const Skeleton = () => {
  const { app } = useTexts();
  return (
    <div className="skeleton">
      <span className="visually-hidden">{app.loading}</span>
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} aria-hidden="true" />
      ))}
    </div>
  );
};
