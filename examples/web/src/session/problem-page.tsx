import type { ReactNode } from 'react';
import { Masthead } from '../frame/masthead.tsx';
import { Notice } from '../design/notice.tsx';
import { useTexts } from '../texts/texts.tsx';
import './session.css';

interface ProblemPageProps {
  readonly action: ReactNode;
  readonly children: ReactNode;
}

/** Shown in place of the pages when they cannot use the session. */
export const ProblemPage = ({ action, children }: ProblemPageProps) => {
  const { errors } = useTexts();
  return (
    <>
      <Masthead />
      <main className="sign-in">
        <div className="card">
          <h1>{errors.summary}</h1>
          <Notice tone="bad" role="alert">
            {children}
          </Notice>
          {action}
        </div>
      </main>
    </>
  );
};
