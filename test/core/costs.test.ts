import * as Result from "effect/Result";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { budgetHolds, decideBudget, softThreshold } from "../../core/model/costs/budget.ts";
import { whenOccurred } from "../../core/model/costs/cost-event.ts";
import { forecast } from "../../core/model/costs/forecast.ts";
import { periodOf } from "../../core/model/costs/period.ts";
import { monthAfter } from "../../core/model/shared/instant.ts";

const now = "2026-11-21T12:00:00.000Z";
const lastMonth = "2026-10-31T23:59:59.999Z";

describe("A budget", () => {
  const asked = (
    budgetMonthlyCents: number,
    spentCents: number,
    heldByBudgetAt: string | null = null,
    alertedAt: string | null = null,
    alertedBudgetCents = budgetMonthlyCents,
  ) =>
    decideBudget({ budgetMonthlyCents, heldByBudgetAt }, { spentCents, alertedAt, alertedBudgetCents }, now);

  test.each([
    [1000, 0, false, null],
    [1000, 799, false, null],
    [1000, 800, true, null],
    [1000, 999, true, null],
    [1000, 1000, true, "set"],
    [1000, 5000, true, "set"],
    [1, 0, false, null],
    [1, 1, true, "set"],
    [0, 1_000_000, false, null],
  ] as const)("of %i with %i spent: alert %s, hold %s", (budget, spent, alert, hold) => {
    expect(asked(budget, spent)).toEqual({ alert, hold });
  });

  test("alerts once a month, and again if it is raised and then nearly used up", () => {
    expect(asked(1000, 900, null, now)).toEqual({ alert: false, hold: null });
    expect(asked(2000, 1500, null, now, 1000)).toEqual({ alert: false, hold: null });
    expect(asked(2000, 1900, null, now, 1000)).toEqual({ alert: true, hold: null });
    expect(asked(500, 490, null, now, 1000)).toEqual({ alert: false, hold: null });
  });

  test.each([
    ["is raised above what is spent", 2000, 1500, "lift"],
    ["is taken away", 0, 1500, "lift"],
    ["is raised, but not enough", 1500, 1500, null],
  ] as const)("that holds, and %s (%i, %i spent): %s", (_, budget, spent, hold) => {
    expect(asked(budget, spent, "2026-11-02T00:00:00.000Z", now).hold).toBe(hold);
  });

  test("ends its hold in a new month, unless that month is already used up", () => {
    expect(asked(1000, 0, lastMonth).hold).toBe("lift");
    expect(asked(1000, 1000, lastMonth).hold).toBe("set");
    expect(budgetHolds(lastMonth, now)).toBe(false);
    expect(budgetHolds("2026-11-01T00:00:00.000Z", now)).toBe(true);
    expect(budgetHolds(null, now)).toBe(false);
  });

  test("changes nothing when evaluated a second time", () => {
    fc.assert(
      fc.property(fc.nat(3000), fc.nat(3000), (budget, spent) => {
        const first = asked(budget, spent);
        const again = asked(budget, spent, first.hold === "set" ? now : null, first.alert ? now : null);
        expect(again).toEqual({ alert: false, hold: null });
      }),
    );
  });

  test("alerts at exactly four fifths", () => {
    expect([0, 1, 5, 99, 100].map(softThreshold)).toEqual([0, 0.8, 4, 79.2, 80]);
    expect(asked(99, 79.199999).alert).toBe(false);
    expect(asked(99, 79.2).alert).toBe(true);
  });
});

describe("A forecast", () => {
  const asked = (fields: Partial<Parameters<typeof forecast>[0]> = {}) =>
    forecast({ spendCents: 0, budgetCents: 0, tokens: 0, tokensOfUnknownCost: 0, at: now, ...fields });

  test("continues the current pace", () => {
    // 20.5 of 30 days have passed.
    expect(asked({ spendCents: 2050, budgetCents: 0 })).toMatchObject({
      projectedCents: 3000,
      exhaustedAt: null,
    });
    expect(asked({ spendCents: 2050, budgetCents: 2500 }).exhaustedAt).toBe("2026-11-26T00:00:00.000Z");
    expect(asked({ spendCents: 2050, budgetCents: 3001 }).exhaustedAt).toBeNull();
    expect(asked({ spendCents: 2050, budgetCents: 2000 }).exhaustedAt).toBe(now);
  });

  test("counts a started day as whole, so that the first event of a month weighs little", () => {
    const at = "2026-11-01T00:01:00.000Z";
    expect(asked({ spendCents: 100, at }).projectedCents).toBeLessThanOrEqual(3100);
  });

  test("reports the costs that it does not know", () => {
    expect(asked({ tokens: 300, tokensOfUnknownCost: 100 }).unknownSharePercent).toBe(33.33);
    expect(asked().unknownSharePercent).toBe(0);
  });
});

describe("A period", () => {
  const asked = (from?: string, to?: string) => periodOf({ from, to }, now);
  test("is the current month by default", () => {
    expect(asked()).toMatchObject({
      success: { from: "2026-11-01T00:00:00.000Z", to: "2026-12-01T00:00:00.000Z" },
    });
    expect(monthAfter("2026-12-31T23:59:59.999Z")).toBe("2027-01-01T00:00:00.000Z");
  });
  test("may have only one end", () => {
    expect(asked("2026-09-15T00:00:00.000Z")).toMatchObject({ success: { to: "2026-12-01T00:00:00.000Z" } });
    expect(asked(undefined, "2026-09-01T00:00:00.000Z")).toMatchObject({
      success: { from: "2026-08-01T00:00:00.000Z" },
    });
  });
  test.each([
    [now, now],
    [now, lastMonth],
    ["2025-01-01T00:00:00.000Z", now],
  ])("from %s to %s is refused", (from, to) => {
    expect(asked(from, to)).toMatchObject({ failure: { code: "period_invalid", kind: "invalid" } });
  });
});

describe("A cost that an agent reports", () => {
  const message = (asked: string, ownRunStartedAt: string | null = null, at = now) =>
    Result.getOrThrow(whenOccurred({ asked, byAgent: true, ownRunStartedAt, at }));

  test("counts in the month of its report, even if its run began in the month before", () => {
    const begin = "2026-11-01T00:00:00.000Z";
    expect(message("2026-10-31T22:00:00.000Z", "2026-10-31T21:00:00.000Z", "2026-11-01T00:10:00.000Z")).toBe(
      begin,
    );
    expect(message("2026-12-24T00:00:00.000Z")).toBe(now);
  });
});
