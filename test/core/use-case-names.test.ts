import * as Cause from "effect/Cause";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import { describe, expect, it } from "vitest";
import {
  systemUseCase,
  transact,
  transactAsSystem,
  type UseCaseContext,
  useCase,
} from "../../core/access/unit-of-work.ts";
import { bySystem } from "../../core/model/access/caller.ts";

const context = {
  transactor: { transact: (steps: (stores: object) => unknown) => steps({}) },
} as unknown as UseCaseContext;

/** Each is named by its use case. */
const failing = () =>
  // biome-ignore lint/correctness/useYield: it fails at once
  function* (): Generator<never, void, never> {
    throw new Error("a defect");
  };

const ways: Readonly<Record<string, Effect.Effect<unknown, unknown>>> = {
  useCase: useCase("issues.useCase", failing())(context)({}),
  systemUseCase: systemUseCase("issues.systemUseCase", failing())(context)(),
  transact: transact(context, "issues.transact", bySystem, failing()),
  transactAsSystem: transactAsSystem(context, "issues.transactAsSystem", failing()),
};

describe("The stack trace of a defect", () => {
  it.each(Object.keys(ways))("names the use case of a unit of work, by %s", async (way) => {
    const exit = await Effect.runPromiseExit(ways[way]!);
    const defect = Exit.isFailure(exit) ? (Cause.squash(exit.cause) as Error) : null;
    expect(defect?.stack).toContain(`issues.${way}`);
  });
});
