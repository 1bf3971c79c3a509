import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { Transactor } from "../../ports/transactor.ts";
import type { Actor } from "../access/caller.ts";
import { assignablePerson } from "../access/person.ts";
import { assignable } from "../agents/named-agent.ts";
import { ValidationFailed } from "../shared/failure.ts";
import type { AgentId, ProjectId, UserId } from "../shared/ids.ts";
import type { Gate, GateKind } from "./gate.ts";

export interface SetGates {
  readonly projectId: ProjectId;
  readonly by: Actor;
  readonly gates: readonly {
    readonly name: string;
    readonly kind: GateKind;
    readonly reviewerAgentId?: AgentId | null | undefined;
    readonly reviewerUserId?: UserId | null | undefined;
    readonly command?: string | null | undefined;
    readonly timeoutSec?: number | null | undefined;
    readonly maxWakes?: number | null | undefined;
  }[];
}

const usualTimeoutSec = 600;
const usualWakes = 3;

/** Replaces the gates of a project. Issues that are done stay so. */
export const setGates = (transactor: Transactor, clock: Clock) => (command: SetGates) =>
  transactor.transact((stores) =>
    Effect.gen(function* () {
      const { projectId, by } = command;
      const gates: readonly Gate[] = command.gates.map((gate) => ({
        name: gate.name,
        kind: gate.kind,
        reviewerAgentId: gate.reviewerAgentId ?? null,
        reviewerUserId: gate.reviewerUserId ?? null,
        command: gate.command ?? null,
        timeoutSec:
          gate.kind === "command" ? (gate.timeoutSec ?? usualTimeoutSec) : (gate.timeoutSec ?? null),
        maxWakes: gate.kind === "command" ? (gate.maxWakes ?? usualWakes) : (gate.maxWakes ?? null),
      }));
      const wrong = gates.flatMap((gate, at) => invalid(gates, gate, at));
      if (wrong.length > 0) return yield* Effect.fail(new ValidationFailed(wrong));
      const { companyId } = yield* stores.projects.lock(projectId);
      for (const [at, { reviewerAgentId, reviewerUserId }] of gates.entries()) {
        if (reviewerAgentId !== null) {
          const agent = yield* stores.agents.findInCompany(reviewerAgentId, companyId);
          yield* Effect.fromResult(assignable(agent, `gates.${at}.reviewerAgentId`));
        }
        if (reviewerUserId !== null) {
          const person = yield* stores.access.findPerson(reviewerUserId);
          yield* Effect.fromResult(assignablePerson(person, companyId, `gates.${at}.reviewerUserId`));
        }
      }
      yield* stores.gates.replace(companyId, projectId, gates);
      yield* stores.activity.append({
        companyId,
        by,
        at: clock.now(),
        action: "project.gates_set",
        entityId: projectId,
        details: { gates: gates.map(({ name, kind }) => ({ name, kind })) },
      });
      return gates;
    }),
  );

/** A review names one reviewer, a command gate its command, and nothing else does. */
const invalid = (gates: readonly Gate[], gate: Gate, at: number) => {
  const { name, kind, reviewerAgentId, reviewerUserId } = gate;
  const reviewers = [reviewerAgentId, reviewerUserId].filter((id) => id !== null).length;
  const path = ["gates", at];
  const isCommand = kind === "command";
  const given = (["command", "timeoutSec", "maxWakes"] as const).filter((field) => gate[field] !== null);
  return [
    ...(isCommand && gate.command === null
      ? [
          {
            path: [...path, "command"],
            code: "custom",
            message: "is required for a gate of the kind command",
          },
        ]
      : []),
    ...(isCommand
      ? []
      : given.map((field) => ({
          path: [...path, field],
          code: "custom",
          message: "belongs to a gate of the kind command",
        }))),
    ...(gates.findIndex((other) => other.name === name) === at
      ? []
      : [{ path: [...path, "name"], code: "custom", message: "is the name of another gate" }]),
    ...(reviewers === (kind === "review" ? 1 : 0)
      ? []
      : [
          {
            path: [...path, "reviewerAgentId"],
            code: "custom",
            message:
              kind === "review"
                ? "is required for a review, or reviewerUserId: one of them"
                : "belongs to a gate of the kind review",
          },
        ]),
  ];
};
