import * as Effect from "effect/Effect";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Unauthenticated } from "../../core/model/access/caller.ts";
import { StreamChecks } from "../../hosts/http/stream-checks.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Opens two streams of each credential; counts the checks of a credential, and the ends of its streams. */
const openStreams = (credentials: number, checks = new StreamChecks()) => {
  return Array.from({ length: credentials }, (_, n) => {
    const credential = { refusal: null as Effect.Effect<never, unknown> | null, checked: 0, ended: 0 };
    const stillAllowed = Effect.suspend(() => {
      credential.checked += 1;
      return credential.refusal ?? Effect.void;
    });
    const leave = [1, 2].map(() =>
      checks.add(`credential ${n}`, stillAllowed, () => (credential.ended += 1)),
    );
    return Object.assign(credential, { leave });
  });
};

describe("The access of open streams", () => {
  it("is checked once in two seconds for each credential, however many there are", async () => {
    const credentials = openStreams(11);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(credentials.map(({ checked }) => checked)).toEqual(Array(11).fill(1));
    await vi.advanceTimersByTimeAsync(4_000);
    expect(credentials.map(({ checked }) => checked)).toEqual(Array(11).fill(3));
  });

  it("ends all streams of a refused credential within two seconds, and no other stream", async () => {
    const credentials = openStreams(6);
    credentials[4]!.refusal = Effect.fail(new Unauthenticated());
    await vi.advanceTimersByTimeAsync(2_000);
    expect(credentials.map(({ ended }) => ended)).toEqual([0, 0, 0, 0, 2, 0]);
  });

  it("outlives a check that fails, such as one without a database", async () => {
    const credentials = openStreams(6);
    credentials[4]!.refusal = Effect.die(new Error("no database"));
    await vi.advanceTimersByTimeAsync(2_000);
    expect(credentials.map(({ ended }) => ended)).toEqual([0, 0, 0, 0, 0, 0]);
  });

  it("is no longer checked, nor timed, once its streams have ended, and again for the next one", async () => {
    const checks = new StreamChecks();
    const credentials = openStreams(6, checks);
    for (const { leave } of credentials) for (const one of leave) one();
    expect(vi.getTimerCount()).toBe(0);
    await vi.advanceTimersByTimeAsync(4_000);
    expect(credentials.map(({ checked }) => checked)).toEqual([0, 0, 0, 0, 0, 0]);
    const [again] = openStreams(1, checks);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(again!.checked).toBe(1);
  });
});
