/**
 * Thrown if the routes are mounted so that they cannot work. Its message describes the mistake, contains no private data,
 * and is also the `detail` of the 500.
 */
export class MountError extends Error {
  override readonly name = 'MountError';
}
