/** Problem details of the server (RFC 9457), or that it could not be reached at all. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly status: number;
  readonly code: string;
  readonly errors: readonly { readonly path: string; readonly message: string }[];

  constructor(status: number, code: string, detail: string, errors: Problem['errors'] = []) {
    super(detail);
    this.status = status;
    this.code = code;
    this.errors = errors;
  }
}

export const problemIn = async (response: Response): Promise<Problem> => {
  const body = (await response.json().catch(() => ({}))) as {
    readonly code?: string;
    readonly detail?: string;
    readonly errors?: Problem['errors'];
  };
  return new Problem(
    response.status,
    body.code ?? 'unknown',
    body.detail ?? 'The server answered with an error.',
    body.errors,
  );
};

export const unreachable = (): Problem => new Problem(0, 'unreachable', 'The server could not be reached.');
