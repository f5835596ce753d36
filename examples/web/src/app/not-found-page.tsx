import { Link } from 'react-router';
import { PageHeading } from '../design/page-heading.tsx';
import { useTexts } from '../texts/texts.tsx';
import { useAreas } from './navigation.tsx';

export const NotFoundPage = () => {
  const { app, notFound } = useTexts();
  return (
    <>
      <PageHeading title={notFound.title} lead={notFound.body} />
      <ul className="stack">
        {useAreas().map(({ label, pages: [{ path }] }) => (
          <li key={label}>
            <Link to={path}>{app.navigation[label]}</Link>
          </li>
        ))}
      </ul>
    </>
  );
};
