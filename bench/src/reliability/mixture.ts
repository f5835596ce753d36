import type { Errand, Errands } from './errand.ts';
import { memberErrands } from './member-errands.ts';
import type { issueMembers } from './members.ts';
import { refusedErrands } from './refused-errands.ts';
import { searchErrands } from './search-errands.ts';
import type { HasBreaker } from './settings.ts';

/** What a day brings, each with its share. */
export const mixture = (
  { members, hostile }: Awaited<ReturnType<typeof issueMembers>>,
  url: string,
  hasBreaker: HasBreaker,
): (() => Errand) => {
  const member = memberErrands(members, hasBreaker);
  const refused = refusedErrands(members, hostile, url);
  const { search, stream, leftSearch, leftStream, strangersCallback, probe } = searchErrands;
  const shares: readonly (readonly [Errands, number])[] = [
    [member.reads, 100],
    [member.writes, 32],
    [member.download(64), 8],
    [member.download(2048), 3],
    [member.leftDownload(16_384), 4],
    [refused.hostileToken, 12],
    [refused.badRequest, 10],
    [refused.tooLarge, 1],
    [refused.halfSent, 2],
    [search, 14],
    [stream, 4],
    [leftSearch, 2],
    [leftStream, 3],
    [strangersCallback, 3],
    [probe, 2],
  ];
  return takingTurns(shares);
};

/** One after the other, each as often as its share, and none in a row. */
export const takingTurns = (shares: readonly (readonly [Errands, number])[]): (() => Errand) => {
  const wheel = shares.flatMap(([errands, share]) => Array.from({ length: share }, () => errands));
  const stride = strideOf(wheel.length);
  const counts = new Map<Errands, number>();
  let turn = 0;
  return () => {
    const errands = wheel[(turn++ * stride) % wheel.length]!;
    const nth = counts.get(errands) ?? 0;
    counts.set(errands, nth + 1);
    return errands(nth);
  };
};

/** About a third of the way round, so that the whole wheel is visited. */
const strideOf = (length: number): number => {
  const isCoprime = (one: number, other: number): boolean => (other === 0 ? one === 1 : isCoprime(other, one % other));
  let stride = Math.ceil(length / 2.7);
  while (!isCoprime(length, stride)) stride++;
  return stride;
};
