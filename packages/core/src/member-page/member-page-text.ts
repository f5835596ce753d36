/** A settled part as JSON: its status, and the text of its body or of its problem. */
export interface PartText {
  readonly name: string;
  /** The HTTP status that the part's own route would have. */
  readonly status: number;
  /** The body of the service. Empty or absent if there is no content. */
  readonly body?: string;
  /** Problem details (RFC 9457). Present if the part failed. */
  readonly problem?: string;
}

/** Serializes the response of `GET /me` (contract, section 12). Bodies are inserted byte for byte. */
export const memberPageText = (parts: readonly PartText[]): string => {
  const members = parts.map((part) => `${JSON.stringify(part.name)}:{${fieldsOf(part)}}`);
  return `{"partial":${isPartial(parts)},"parts":{${members.join(',')}}}`;
};

/** Serializes the event `part` of the streamed response. */
export const partEventText = (part: PartText): string => `{"name":${JSON.stringify(part.name)},${fieldsOf(part)}}`;

/** Serializes the event `done` of the streamed response. */
export const pageDoneText = (parts: readonly PartText[]): string => `{"partial":${isPartial(parts)}}`;

const isPartial = (parts: readonly PartText[]): boolean => parts.some(({ problem }) => problem !== undefined);

const fieldsOf = ({ status, body = '', problem }: PartText): string => {
  if (problem !== undefined) return `"status":${status},"problem":${problem}`;
  return body === '' ? `"status":${status}` : `"status":${status},"body":${body}`;
};
