import type { ContractReport } from './contract-report.ts';

/** The report as JUnit XML, as CI systems read it: one test case for each promise. */
export const junit = ({ service, promises }: ContractReport): string => {
  const name = attribute(`${service} contract`);
  const count = (outcome: string) => promises.filter((one) => one.outcome === outcome).length;
  const total = promises.reduce((sum, { elapsedMs }) => sum + elapsedMs, 0);
  const counts = `tests="${promises.length}" failures="${count('broken')}" skipped="${count('skipped')}" time="${seconds(total)}"`;
  const cases = promises.map(({ promise, outcome, elapsedMs, reason = '', requests = [] }) => {
    const start = `    <testcase classname=${name} name=${attribute(promise)} time="${seconds(elapsedMs)}"`;
    if (outcome === 'skipped') return `${start}><skipped message=${attribute(reason)}/></testcase>`;
    if (outcome === 'kept') return `${start}/>`;
    return `${start}><failure message=${attribute(reason)}>${escaped(`Requests: ${requests.join(', ')}`)}</failure></testcase>`;
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts}>`,
    `  <testsuite name=${name} ${counts} errors="0">`,
    ...cases,
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
};

const seconds = (ms: number): string => (ms / 1000).toFixed(3);

const attribute = (text: string): string => `"${escaped(text)}"`;

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** XML 1.0, section 2.2, has no control characters but tab and line breaks, and no lone surrogates. */
const escaped = (text: string): string =>
  text
    .toWellFormed()
    // oxlint-disable-next-line no-control-regex -- the pattern matches control characters
    .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
    .replaceAll(/[&<>"]/g, (character) => entities[character] ?? character);
