import { describe, expect, it } from 'vitest';
import { fakeClock } from './clock.fake.ts';

describe('fakeClock', () => {
  it('does not advance by itself', () => {
    const clock = fakeClock(1_000);
    expect([clock.now(), clock.now(), clock.monotonic()]).toEqual([1_000, 1_000, 0]);
    clock.advance(250);
    expect([clock.now(), clock.monotonic()]).toEqual([1_250, 250]);
  });

  it('runs due tasks in order of their time, each at its own time', () => {
    const clock = fakeClock();
    const ran: [string, number][] = [];
    const note = (name: string) => () => ran.push([name, clock.monotonic()]);
    clock.after(30, note('late'));
    clock.after(10, note('early'));
    clock.after(20, note('middle'));
    clock.after(31, note('too late'));
    clock.advance(30);
    expect(ran).toEqual([
      ['early', 10],
      ['middle', 20],
      ['late', 30],
    ]);
    expect(clock.scheduled).toBe(1);
  });

  it('runs tasks that are due at the same time in the order of scheduling', () => {
    const clock = fakeClock();
    const ran: string[] = [];
    for (const name of ['first', 'second', 'third']) clock.after(5, () => ran.push(name));
    clock.advance(5);
    expect(ran).toEqual(['first', 'second', 'third']);
  });

  it('runs a task that another task schedules within the same advance', () => {
    const clock = fakeClock();
    const ran: [string, number][] = [];
    clock.after(10, () => {
      clock.after(5, () => ran.push(['within', clock.monotonic()]));
      clock.after(50, () => ran.push(['beyond', clock.monotonic()]));
    });
    clock.after(20, () => ran.push(['own', clock.monotonic()]));
    clock.advance(30);
    expect(ran).toEqual([
      ['within', 15],
      ['own', 20],
    ]);
    expect(clock.monotonic()).toBe(30);
  });

  it('runs each task once', () => {
    const clock = fakeClock();
    let runs = 0;
    clock.after(1, () => {
      runs += 1;
    });
    clock.advance(5);
    clock.advance(5);
    expect(runs).toBe(1);
  });

  it('does not run a cancelled task, and ignores cancelling twice or too late', () => {
    const clock = fakeClock();
    const ran: string[] = [];
    const cancel = clock.after(10, () => ran.push('cancelled'));
    const cancelLate = clock.after(10, () => ran.push('kept'));
    cancel();
    cancel();
    expect(clock.scheduled).toBe(1);
    clock.advance(10);
    cancelLate();
    expect(ran).toEqual(['kept']);
  });

  it('lets one task cancel another that is due at the same time', () => {
    const clock = fakeClock();
    const ran: string[] = [];
    clock.after(10, () => cancel());
    const cancel = clock.after(10, () => ran.push('cancelled'));
    clock.advance(10);
    expect(ran).toEqual([]);
  });

  it('never goes back, even for a task with a negative delay', () => {
    const clock = fakeClock();
    clock.advance(10);
    let at = -1;
    clock.after(-5, () => {
      at = clock.monotonic();
    });
    clock.advance(0);
    expect(at).toBe(10);
  });
});
