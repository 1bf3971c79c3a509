import * as Effect from "effect/Effect";
import type { Stores } from "../../../ports/transactor.ts";
import { assignablePerson } from "../../model/access/person.ts";
import { assignable } from "../../model/agents/named-agent.ts";
import type { Gate } from "../../model/projects/gate.ts";
import { refusal, ValidationFailed } from "../../model/shared/failure.ts";
import type { CompanyId, ProjectId } from "../../model/shared/ids.ts";
import type { Proposal } from "../../model/shared/patch.ts";

/** The input of a gate; omitted fields have their defaults. */
export type AskedGate = Proposal<Gate, "name" | "kind">;

/** Details: `path` of the gate. */
export class GateNotRunnable extends refusal(
  "gate_not_runnable",
  "unprocessable",
  "A command gate needs an issue workspace. Add a repository with mode issue to the project first.",
) {}

const defaultTimeoutSec = 600;
const defaultWakes = 3;

/** Returns the gates as they are stored: for the issues of a project, or for a single issue, which may have no project. */
export const checkedGates = Effect.fnUntraced(function* (
  stores: Stores,
  { companyId, projectId }: { readonly companyId: CompanyId; readonly projectId: ProjectId | null },
  asked: readonly AskedGate[],
) {
  const gates: readonly Gate[] = asked.map((gate) => ({
    name: gate.name,
    kind: gate.kind,
    reviewerAgentId: gate.reviewerAgentId ?? null,
    reviewerUserId: gate.reviewerUserId ?? null,
    command: gate.command ?? null,
    timeoutSec: gate.kind === "command" ? (gate.timeoutSec ?? defaultTimeoutSec) : (gate.timeoutSec ?? null),
    maxWakes: gate.kind === "command" ? (gate.maxWakes ?? defaultWakes) : (gate.maxWakes ?? null),
  }));
  const wrong = gates.flatMap((gate, at) => invalid(gates, gate, at));
  if (wrong.length > 0) return yield* Effect.fail(new ValidationFailed(wrong));
  const command = gates.findIndex(({ kind }) => kind === "command");
  if (command >= 0) {
    const repositories = projectId === null ? [] : yield* stores.repositories.ofProject(projectId);
    if (!repositories.some(({ mode }) => mode === "issue"))
      return yield* Effect.fail(new GateNotRunnable({ path: ["gates", command, "kind"] }));
  }
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
  return gates;
});

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
            message: "is required for a command gate",
          },
        ]
      : []),
    ...(isCommand
      ? []
      : given.map((field) => ({
          path: [...path, field],
          code: "custom",
          message: "is allowed only for a command gate",
        }))),
    ...(gates.findIndex((other) => other.name === name) === at
      ? []
      : [{ path: [...path, "name"], code: "custom", message: "is already the name of another gate" }]),
    ...(reviewers === (kind === "review" ? 1 : 0)
      ? []
      : [
          {
            path: [...path, "reviewerAgentId"],
            code: "custom",
            message:
              kind === "review"
                ? "is required for a review gate, unless reviewerUserId is set"
                : "is allowed only for a review gate",
          },
        ]),
  ];
};
