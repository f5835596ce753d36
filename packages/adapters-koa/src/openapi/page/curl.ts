import type { MediaType, Operation, Parameter } from '../format.ts';

/** Returns curl commands for an operation. `PORTICO` is the base URL of the server, `PORTICO_TOKEN` a member's access token. */
export const curlLines = (
  method: string,
  path: string,
  { security, requestBody, responses }: Operation,
  pathParameters: readonly Parameter[],
): readonly string[] => {
  const [type, body] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const url = pathParameters.reduce((url, { name, example = `{${name}}` }) => url.replace(`{${name}}`, example), path);
  const responseTypes = typesOf(responses[200]);
  const line = [
    `curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}"$PORTICO${url}"`,
    ...(security?.some((each) => 'bearer' in each) ? ['-H "Authorization: Bearer $PORTICO_TOKEN"'] : []),
    ...(type === undefined ? [] : [`-H 'Content-Type: ${type}'`, `-d ${dataOf(body)}`]),
    ...(responseTypes.includes('application/pdf') ? ['-o document.pdf'] : []),
  ];
  const streaming = [...line, '-N', "-H 'Accept: text/event-stream'"];
  return [line, ...(responseTypes.includes('text/event-stream') ? [streaming] : [])].map((words) =>
    words.join(' \\\n  '),
  );
};

const typesOf = (response: Operation['responses'][number] | undefined): readonly string[] =>
  response && 'content' in response ? Object.keys(response.content ?? {}) : [];

/** The example of the body, or a file that the reader writes. */
const dataOf = (body: MediaType | undefined): string =>
  body?.example === undefined ? '@body.json' : quoted(JSON.stringify(body.example));

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
