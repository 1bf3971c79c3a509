import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { systemClock } from "../../adapters-infra/local/system-clock.ts";
import { externalAdapters } from "../../adapters-infra/plugins/external-adapters.ts";
import { addSeconds } from "../../core/model/shared/instant.ts";
import type { LoadedAdapter } from "../../ports/adapter-registry.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] }));
afterEach(() => void vi.useRealTimers());

const plugin = { directory: "/packages/slow", source: "local" as const };
const seconds = (count: number) => vi.advanceTimersByTimeAsync(count * 1000);

/** The first attempts are carried out as given, later ones succeed. */
const packageThat = (...attempts: readonly ((signal: AbortSignal) => Promise<LoadedAdapter>)[]) => {
  let begun = 0;
  const reports: string[] = [];
  const closing = new AbortController();
  const adapters = externalAdapters({
    open: (_plugin, _note, signal) => {
      const attempt = attempts[begun];
      begun += 1;
      return attempt?.(signal) ?? Promise.resolve({ type: "slow", version: "1.0.0" } as LoadedAdapter);
    },
    closing: closing.signal,
    onProblem: ({ message }) => void reports.push(message),
    isOurs: () => false,
    changed: () => {},
    clock: systemClock,
  });
  return { adapters, reports, close: () => closing.abort(), begun: () => begun };
};

const never = () => new Promise<LoadedAdapter>(() => {});
const fails = () => Promise.reject(new Error("Its disk is away."));

describe("an external adapter that does not load", () => {
  it("counts as failed after 30 seconds, its attempt gets a stop, and it is loaded again", async () => {
    let passedSignal: AbortSignal | null = null;
    const { adapters, reports } = packageThat((signal) => {
      passedSignal = signal;
      return never();
    });
    const becoming = adapters.become([plugin]);
    await seconds(29);
    expect(adapters.known()).toMatchObject([{ status: "loading", problem: null }]);
    await seconds(1);
    await becoming;
    const problem = "It has not been loaded within 30 seconds.";
    expect(adapters.known()).toMatchObject([{ status: "failed", problem }]);
    expect(passedSignal).toMatchObject({ aborted: true });
    expect(reports).toEqual([problem]);
    await seconds(30);
    expect(adapters.known()).toMatchObject([{ status: "loaded", problem: null }]);
    expect(adapters.loaded().map(([type]) => type)).toEqual(["slow"]);
  });

  it("is loaded again after waits that double, and reported once for one reason", async () => {
    const { adapters, reports, begun } = packageThat(fails, fails, fails);
    await adapters.become([plugin]);
    expect(begun()).toBe(1);
    for (const [wait, attempts] of [
      [29, 1],
      [1, 2],
      [59, 2],
      [1, 3],
      [120, 4],
    ] as const) {
      await seconds(wait);
      expect(begun()).toBe(attempts);
    }
    expect(reports).toEqual(["Its disk is away."]);
    expect(adapters.known()).toMatchObject([{ status: "loaded" }]);
  });

  it("has failed since its first failure, until it is loaded", async () => {
    const loads = () => Promise.resolve({ type: "slow" } as LoadedAdapter);
    const { adapters } = packageThat(fails, fails, loads, fails);
    const failedAt = () => adapters.known()[0]?.failedAt;
    const first = systemClock.now();
    await adapters.become([plugin]);
    expect(failedAt()).toBe(first);
    await seconds(30);
    expect(failedAt()).toBe(first);
    await seconds(60);
    expect(failedAt()).toBeNull();
    await adapters.become([plugin], plugin.directory);
    expect(failedAt()).toBe(addSeconds(first, 90));
  });

  it("is left alone once it is removed, and when the service stops", async () => {
    const removed = packageThat(fails);
    await removed.adapters.become([plugin]);
    await removed.adapters.become([]);
    const stopped = packageThat(fails);
    await stopped.adapters.become([plugin]);
    stopped.close();
    await seconds(3600);
    expect([removed.begun(), stopped.begun()]).toEqual([1, 1]);
  });

  it("keeps its old code without further attempts where only its newest code fails", async () => {
    const { adapters, begun } = packageThat(() => Promise.resolve({ type: "slow" } as LoadedAdapter), fails);
    await adapters.become([plugin]);
    await adapters.become([plugin], plugin.directory);
    await seconds(3600);
    expect(begun()).toBe(2);
    expect(adapters.known()).toMatchObject([{ status: "loaded", problem: "Its disk is away." }]);
  });
});
