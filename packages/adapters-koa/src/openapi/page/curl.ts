import type { Operation, Parameter } from '../format.ts';

/** How to ask from a shell, in which `PORTICO` is the server's address and `PORTICO_TOKEN` a member's access token. */
export const curlLines = (
  method: string,
  path: string,
  { security, requestBody, responses }: Operation,
  inPath: readonly Parameter[],
): readonly string[] => {
  const [type, body] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const url = inPath.reduce((so, { name, example = '' }) => so.replace(`{${name}}`, example), path);
  const answers = typesOf(responses[200]);
  const line = [
    `curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}"$PORTICO${url}"`,
    ...(security?.some((each) => 'bearer' in each) ? ['-H "Authorization: Bearer $PORTICO_TOKEN"'] : []),
    ...(type === undefined ? [] : [`-H 'Content-Type: ${type}'`, `-d ${quoted(JSON.stringify(body?.example))}`]),
    ...(answers.includes('application/pdf') ? ['-o document.pdf'] : []),
  ];
  const streamed = [...line, '-N', "-H 'Accept: text/event-stream'"];
  return [line, ...(answers.includes('text/event-stream') ? [streamed] : [])].map((words) => words.join(' \\\n  '));
};

const typesOf = (response: Operation['responses'][number] | undefined): readonly string[] =>
  response && 'content' in response ? Object.keys(response.content ?? {}) : [];

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
