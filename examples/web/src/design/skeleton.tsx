import { useTexts } from '../texts/texts.tsx';
import './skeleton.css';

/** Lines in place of content that is loading. Its container reserves the height (`--usual-height`). */
export const Skeleton = ({ lines = 3 }: { readonly lines?: number }) => {
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
