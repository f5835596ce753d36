import type { Sandbox } from '@portico/sandbox';

/** What runs where, and lines that work when pasted into another shell. */
export const greeting = (portico: string, { identity, services, control, members }: Sandbox): string => {
  const addresses = [
    ['Portico', portico],
    ['identity provider', identity.issuer],
    ...Object.entries(services).map(([name, { url }]) => [name, url]),
    ['faults', `${control.url}/faults`],
  ];
  const [member] = members;
  const [document] = member?.documents ?? [];
  const ask = `curl -s -H "Authorization: Bearer $TOKEN"`;
  return `
${addresses.map(([name = '', url]) => `  ${name.padEnd(18)} ${url}`).join('\n')}

  Members: ${members.map(({ username, password }) => `${username} / ${password}`).join(', ')}

  A token (15 minutes), in another shell:

TOKEN=$(curl -s -d grant_type=password -d client_id=portico-cli -d username=${member?.username} -d password=${member?.password} ${identity.tokenUrl} | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')

  Then:

${ask} ${portico}/me/coverage
${ask} '${portico}/me/claims?status=paid'
${ask} ${portico}/me/documents/${document?.locator} -o ${document?.locator}.pdf

  Make a service fail, and heal it:

curl -s -X PUT -d '{"kind":"status","status":500}' ${control.url}/faults/claims
curl -s -X DELETE ${control.url}/faults/claims

  Ctrl-C ends it all.
`;
};
