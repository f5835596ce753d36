import { relative } from 'node:path';
import type { Sandbox } from '@portico/sandbox';
import type { Portico } from '../portico.ts';

type Running = Pick<Portico, 'url' | 'config'>;

/** At most ten lines of 80 characters. */
export const greeting = ({ url, config }: Running, { control, members }: Sandbox): string => `
  Web pages   ${url}/
  Sign in as  ${members.map(({ username, password }) => `${username} / ${password}`).join(', ')}
  HTTP API    ${url}/docs
  Settings    ${relative('', config)}
  Networks    moa, mh, and care with five sellers that respond one by one
  Faults      ${control.url}/faults
  Commands    to get some to paste, start this with npm start -- --examples

  Press Ctrl-C to stop.
`;

/** The URLs of everything that runs, and commands to paste into another shell. */
export const examples = (
  { url: portico, config }: Running,
  { identity, services, search, network, control, members }: Sandbox,
): string => {
  const addresses = [
    ['identity provider', identity.issuer],
    ...Object.entries(services).map(([name, { url }]) => [name, url]),
    ['moa network', search.moa.url],
    ['mh network', search.mh.adapter.url],
    ...(network ? [['care network', network.gateway.url]] : []),
  ];
  const [member] = members;
  const [document] = member?.documents ?? [];
  const curl = String.raw`curl -s -w '\n'`;
  const asMember = `${curl} -H "Authorization: Bearer $TOKEN"`;
  return `
${addresses.map(([name = '', url]) => `  ${name.padEnd(18)} ${url}`).join('\n')}

  Get a token (valid for 15 minutes), in another shell:

TOKEN=$(curl -s -d grant_type=password -d client_id=portico-cli -d username=${member?.username} -d password=${member?.password} ${identity.tokenUrl} | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')

  Make requests:

${asMember} ${portico}/me/coverage
${asMember} '${portico}/me/claims?status=paid&sort=-billedAmount'
curl -s -H "Authorization: Bearer $TOKEN" ${portico}/me/documents/${document?.locator} -o ${document?.locator}.pdf

  Search all networks, with one response or as a stream, which fills up seller by seller:

${curl} ${portico}/api/search -H 'Content-Type: application/json' -d '{"persona":"member","query":"health","user_id":"demo"}'
${curl} -N ${portico}/api/search -H 'Content-Type: application/json' -H 'Accept: text/event-stream' -d '{"persona":"member","query":"health","user_id":"demo"}'

  Simulate failures: a seller that never calls back, a service that returns 500. DELETE ends a fault:

${curl} -X PUT -d '{"fault":"silent"}' ${control.url}/sellers/mh
${curl} -X PUT -d '{"kind":"status","status":500}' ${control.url}/faults/claims
${curl} -X DELETE ${control.url}/faults/claims
${curl} -X DELETE ${control.url}/sellers/mh

  Use the command line, in this folder; \`portico --help\` lists all commands:

export PATH="$PWD/node_modules/.bin:$PATH" PORTICO_CONFIG='${config}'
export PORTICO_TOKEN=$(PORTICO_USERNAME=${member?.username} PORTICO_PASSWORD=${member?.password} portico token)
portico me claims
portico me documents get ${document?.locator} -o ${document?.locator}.pdf
portico journey
portico search health --persona member --user-id demo --server ${portico}
`;
};
