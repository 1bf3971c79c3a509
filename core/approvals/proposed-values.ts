import { type Actor, type Caller, roleIn } from "../access/caller.ts";
import {
  type AdapterConfig,
  maskAdapterConfig,
  maskedVariables,
  variablesOf,
} from "../agents/agent-config.ts";
import type { Approval } from "./approval.ts";
import { roleHolds } from "./authority.ts";

/**
 * The names of a hire's variables whose values an agent wrote. A value that is sent back masked keeps its first author;
 * a value that a person wrote is never shown.
 */
export const proposedVariables = (
  given: AdapterConfig,
  by: Actor,
  before: readonly string[] = [],
): readonly string[] => {
  const masked = new Set(maskedVariables(given));
  return variablesOf(given).filter((name) =>
    masked.has(name) ? before.includes(name) : by.kind === "agent",
  );
};

/**
 * Returns the approval as the caller may see it. People who may decide a hire see the variable values that an agent
 * proposes while the hire is undecided; all other values are masked.
 */
export const shownTo = <A extends Approval>(caller: Caller, approval: A): A => {
  if (approval.type !== "hire_agent") return approval;
  const isOpen = approval.status === "pending" || approval.status === "revision_requested";
  const mayDecide = caller.kind === "board" && roleHolds(roleIn(caller, approval.companyId), "agents:hire");
  const seen = isOpen && mayDecide ? approval.proposedVariables : [];
  const adapterConfig = maskAdapterConfig(approval.payload.adapterConfig, seen);
  return { ...approval, payload: { ...approval.payload, adapterConfig } };
};
