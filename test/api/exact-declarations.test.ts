import * as Effect from "effect/Effect";
import { expect, test } from "vitest";
import { z } from "zod";
import { GoalNotFound } from "../../core/model/goals/goal.ts";
import { LabelNotFound } from "../../core/model/labels/label.ts";
import { open } from "../../hosts/api/endpoint/access.ts";
import { endpoint } from "../../hosts/api/endpoint/endpoint.ts";

const Shape = z.object({
  name: z.string(),
  parts: z.array(z.object({ size: z.number() })),
  free: z.record(z.string(), z.unknown()),
});
const common = {
  method: "GET",
  path: "/api/health",
  summary: "Show it",
  access: open,
  returns: Shape,
} as const;
const record = { name: "a", parts: [{ size: 1 }], free: { whatever: 1 } };

test("the compiler accepts a declaration that matches its use case", () => {
  const declared = endpoint({
    ...common,
    failures: [GoalNotFound],
    run: (_, __, { caller }) =>
      caller.kind === "anyone" ? Effect.fail(new GoalNotFound()) : Effect.succeed(record),
  });
  expect(declared.failures).toEqual([GoalNotFound]);
});

test("the compiler refuses an answer with an undeclared field, however deep", () => {
  // @ts-expect-error secret is not declared
  endpoint({
    ...common,
    run: () => Effect.succeed({ ...record, secret: "x" }),
  });
  // @ts-expect-error hash of a part is not declared
  endpoint({
    ...common,
    run: () => Effect.succeed({ ...record, parts: [{ size: 1, hash: "x" }] }),
  });
  // @ts-expect-error a field that may be there is one more, too
  endpoint({
    ...common,
    run: () => Effect.succeed(record as typeof record & { secret?: string }),
  });
});

test("the compiler refuses an undeclared failure, and one that cannot happen", () => {
  endpoint({
    ...common,
    failures: [GoalNotFound],
    // @ts-expect-error it may end in label_not_found, too
    run: () => Effect.fail(new LabelNotFound()),
  });
  endpoint({
    ...common,
    // @ts-expect-error it declares no failure
    run: () => Effect.fail(new LabelNotFound()),
  });
  // @ts-expect-error it never ends in goal_not_found
  endpoint({
    ...common,
    failures: [GoalNotFound],
    run: () => Effect.succeed(record),
  });
});
