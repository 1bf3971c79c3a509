import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type AgentCaller, actorOf, type BoardCaller, roleIn } from "../../core/model/access/caller.ts";
import { atLeast, type Role, roles } from "../../core/model/access/roles.ts";
import { entityTypeOf } from "../../core/model/activity/activity-entry.ts";
import { closesCircle } from "../../core/model/shared/circle.ts";
import { ReferenceNotFound, refusal } from "../../core/model/shared/failure.ts";
import {
  type CompanyId,
  isIssueIdentifier,
  isUuid,
  type TokenId,
  type UserId,
} from "../../core/model/shared/ids.ts";
import {
  addMillis,
  addSeconds,
  monthOf,
  secondsBetween,
  toInstant,
} from "../../core/model/shared/instant.ts";
import { acme, ada, firstRun, id } from "../support/nouns.ts";

describe("A link closes a circle", () => {
  const links = new Map<string, readonly string[]>([
    ["b", ["a"]],
    ["c", ["b"]],
    ["d", ["b", "x"]],
    ["y", ["z"]],
    ["z", ["y"]],
  ]);

  test.each([
    ["a", "a", true],
    ["a", "b", true],
    ["a", "c", true],
    ["a", "d", true],
    ["b", "a", false],
    ["c", "a", false],
    ["x", "c", false],
    ["nobody", "a", false],
    ["a", "nobody", false],
    ["a", "y", false],
  ])("from %s to %s: %s", (from, to, closes) => {
    expect(closesCircle(from, to, links)).toBe(closes);
  });

  const node = fc.integer({ min: 0, max: 7 }).map(String);
  const graph = fc.array(fc.tuple(node, node), { maxLength: 20 });
  const linksOf = (pairs: readonly (readonly [string, string])[]) => {
    const map = new Map<string, string[]>();
    for (const [from, to] of pairs) map.set(from, [...(map.get(from) ?? []), to]);
    return map;
  };
  /** Follows links until nothing new is reached. */
  const reachedFrom = (start: string, pairs: readonly (readonly [string, string])[]) => {
    const reached = new Set([start]);
    for (let size = 0; size !== reached.size; ) {
      size = reached.size;
      for (const [from, to] of pairs) if (reached.has(from)) reached.add(to);
    }
    return reached;
  };

  test("exactly if the target leads back", () => {
    fc.assert(
      fc.property(graph, node, node, (pairs, from, to) => {
        expect(closesCircle(from, to, linksOf(pairs))).toBe(reachedFrom(to, pairs).has(from));
      }),
    );
  });

  test("never, if no link ever closes one", () => {
    fc.assert(
      fc.property(graph, (pairs) => {
        const made: (readonly [string, string])[] = [];
        for (const [from, to] of pairs) if (!closesCircle(from, to, linksOf(made))) made.push([from, to]);
        for (const [from, to] of made) expect(reachedFrom(to, made).has(from)).toBe(false);
      }),
    );
  });

  test("of a chain of a hundred thousand links, without exhausting the stack", () => {
    const chain = new Map(Array.from({ length: 100_000 }, (_, n) => [String(n), [String(n + 1)]]));
    expect(closesCircle("100000", "0", chain)).toBe(true);
  });
});

describe("A role", () => {
  const enough: Record<Role, readonly Role[]> = {
    viewer: ["viewer"],
    operator: ["viewer", "operator"],
    owner: ["viewer", "operator", "owner"],
  };

  test.each(roles.flatMap((role) => roles.map((needed) => [role, needed] as const)))(
    "%s will do where %s is needed as the table says",
    (role, needed) => {
      expect(atLeast(role, needed)).toBe(enough[role].includes(needed));
    },
  );

  test.each(roles)("is required if it is missing: %s", (needed) => {
    expect(atLeast(null, needed)).toBe(false);
  });

  const boardUser = (admin: boolean, ...memberships: [CompanyId, Role][]): BoardCaller => ({
    kind: "board",
    userId: id<UserId>(1),
    name: "Grace",
    admin,
    roles: new Map(memberships),
    tokenId: id<TokenId>(1),
    session: false,
  });

  test("in a company is that of the membership, and owner for an instance admin", () => {
    const other = id<CompanyId>(2);
    expect(roleIn(boardUser(false, [acme, "viewer"]), acme)).toBe("viewer");
    expect(roleIn(boardUser(false, [acme, "owner"]), other)).toBeNull();
    expect(roleIn(boardUser(true), acme)).toBe("owner");
    expect(roleIn(boardUser(true, [acme, "viewer"]), acme)).toBe("owner");
  });

  test("is not stored with the actions of its bearer", () => {
    expect(actorOf(boardUser(true))).toEqual({ kind: "board", userId: id<UserId>(1) });
    const caller: AgentCaller = {
      kind: "agent",
      agentId: ada,
      companyId: acme,
      name: "Ada",
      runId: firstRun,
      self: { lifecycleState: "active", heldManuallyAt: null, heldByBudgetAt: null, runtimeConfig: {} },
    };
    expect(actorOf(caller)).toEqual({
      kind: "agent",
      agentId: ada,
      runId: firstRun,
    });
  });
});

describe("An instant", () => {
  test("is ISO 8601, UTC, with milliseconds, and compares as text", () => {
    fc.assert(
      fc.property(fc.nat(4_000_000_000), fc.nat(4_000_000_000), (a, b) => {
        const [one, other] = [toInstant(new Date(a * 1000)), toInstant(new Date(b * 1000))];
        expect(one).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
        expect(one < other).toBe(a < b);
        expect(secondsBetween(one, other)).toBe(b - a);
        expect(addSeconds(one, b - a)).toBe(other);
      }),
    );
  });

  test.each([
    ["2026-01-31T23:59:59.999Z", "2026-01-01T00:00:00.000Z"],
    ["2026-02-01T00:00:00.000Z", "2026-02-01T00:00:00.000Z"],
  ])("%s is in the month that begins %s", (at, month) => {
    expect(monthOf(at)).toBe(month);
  });

  test("crosses the end of a month", () => {
    expect(addMillis("2026-01-31T23:59:59.999Z", 1)).toBe("2026-02-01T00:00:00.000Z");
  });
});

describe("A name of an issue", () => {
  test.each([
    ["ABC-12", true],
    ["abc-12", true],
    ["A-1", true],
    ["ABC-0", false],
    ["ABC-012", false],
    ["ABC-1234567890", false],
    ["ABC", false],
    ["12", false],
    ["-12", false],
    ["AB1-12", false],
    ["ABC-12 ", false],
    ["ABC-12\n", false],
    ["", false],
  ])("%j: %s", (text, is) => {
    expect(isIssueIdentifier(text)).toBe(is);
  });
});

describe("An id", () => {
  test.each([
    ["0199c0de-0000-7000-8000-000000000001", true],
    ["0199C0DE-0000-7000-8000-000000000001", true],
    ["0199c0de-0000-7000-8000-00000000000", false],
    ["0199c0de00007000800000000000000001", false],
    ["0199c0de-0000-7000-8000-000000000001\n", false],
    ["me", false],
  ])("%j is a UUID: %s", (text, is) => {
    expect(isUuid(text)).toBe(is);
  });
});

describe("A refusal", () => {
  class TooLate extends refusal("too_late", "conflict", "It is too late.") {}

  test("has a code, a kind and a sentence, as a class and as an instance", () => {
    const { code, kind, sentence } = TooLate;
    expect({ code, kind, sentence }).toEqual({
      code: "too_late",
      kind: "conflict",
      sentence: "It is too late.",
    });
    expect(new TooLate()).toMatchObject({
      code: "too_late",
      kind: "conflict",
      message: "It is too late.",
      details: undefined,
    });
    expect(new TooLate({ bySec: 3 }, "Three seconds late.")).toMatchObject({
      message: "Three seconds late.",
      details: { bySec: 3 },
    });
  });

  test("of a reference names the field, and not its value", () => {
    expect(ReferenceNotFound.at("parentId")).toMatchObject({
      code: "reference_not_found",
      kind: "unprocessable",
      message: "parentId refers to something that doesn't exist.",
      details: { path: ["parentId"] },
    });
  });
});

test.each([
  ["issue.created", "issue"],
  ["company.paused", "company"],
  ["heartbeat.finished", "heartbeat_run"],
  ["cost.reported", "cost_event"],
] as const)("An entry of activity %s is about a thing of kind %s", (action, type) => {
  expect(entityTypeOf(action)).toBe(type);
});
