import { describe, expect, test } from "vitest";
import { anyone, type Caller } from "../../core/model/access/caller.ts";
import type { Role } from "../../core/model/access/roles.ts";
import { type ApprovalType, approvalTypes } from "../../core/model/approvals/approval.ts";
import { approvalStatuses, decisions } from "../../core/model/approvals/approval-status.ts";
import { type AuthorityFacts, checkNames, evaluateAuthority } from "../../core/model/approvals/authority.ts";
import type { Permission } from "../../core/model/approvals/grant.ts";
import type { AgentId, CompanyId, GrantId, TokenId, UserId } from "../../core/model/shared/ids.ts";
import { acme, ada, bob, id } from "../support/nouns.ts";

const other = id<CompanyId>(0xc9);
const owner = id<UserId>(0xb1);

const person = (role: Role | null, { admin = false, company = acme } = {}): Caller => ({
  kind: "board",
  userId: id<UserId>(0xb2),
  name: "Somebody",
  admin,
  roles: new Map(role === null ? [] : [[company, role]]),
  tokenId: id<TokenId>(0xb3),
  session: false,
});

const agent = (agentId: AgentId, companyId = acme): Caller => ({
  kind: "agent",
  agentId,
  companyId,
  name: "Bob",
  runId: null,
  self: { lifecycleState: "active", heldManuallyAt: null, heldByBudgetAt: null, runtimeConfig: {} },
});

type CallerName =
  | "nobody"
  | "an outsider"
  | "a viewer"
  | "an operator"
  | "an owner"
  | "an admin"
  | "the requester"
  | "another agent"
  | "a foreign agent";

const callers: Readonly<Record<CallerName, Caller>> = {
  nobody: anyone,
  "an outsider": person("owner", { company: other }),
  "a viewer": person("viewer"),
  "an operator": person("operator"),
  "an owner": person("owner"),
  "an admin": person(null, { admin: true }),
  "the requester": agent(ada),
  "another agent": agent(bob),
  "a foreign agent": agent(bob, other),
};

const grant = (permission: Permission, ...classes: string[]) => ({
  id: id<GrantId>(0x91),
  permission,
  classes,
  grantedByUserId: owner,
});

const grants = {
  "no grant": [],
  "the right grant": [grant("ownership:decide", "tooling")],
  "a grant of another class": [grant("ownership:decide", "money")],
  "a grant of another permission": [grant("agents:hire", "tooling")],
  "grants of everything": [
    grant("agents:hire", "tooling"),
    grant("strategy:decide", "tooling"),
    grant("ownership:decide", "money"),
    { ...grant("ownership:decide", "tooling"), id: id<GrantId>(0x92) },
  ],
} as const;
type GrantName = keyof typeof grants;

const stored = approvalStatuses.filter((status) => status !== "resubmitted");

const facts = (
  type: ApprovalType,
  caller: CallerName,
  grant: GrantName = "no grant",
  more: Partial<AuthorityFacts["approval"]> = {},
  asked: AuthorityFacts["asked"] = null,
): AuthorityFacts => ({
  approval: {
    companyId: acme,
    type,
    status: "pending",
    payload: { subject: "the linter", class: "tooling", candidateOwners: ["Ada", "Bob"] },
    requestedByAgentId: ada,
    ...more,
  },
  caller: callers[caller],
  grants: callers[caller].kind === "agent" ? grants[grant] : [],
  asked,
});

/** The table of the ruling, written independently of the evaluation: the code of the refusal, or allowed. */
const expected = (
  type: ApprovalType,
  status: (typeof stored)[number],
  caller: CallerName,
  grant: GrantName,
): string => {
  if (caller === "an outsider" || caller === "a foreign agent") return "approval_not_found";
  if (status !== "pending") return "approval_not_pending";
  if (caller === "nobody") return "unauthenticated";
  if (caller === "the requester") return "own_request";
  if (caller === "another agent") {
    if (type !== "ownership_decision") return "proof_not_accepted";
    switch (grant) {
      case "no grant":
      case "a grant of another permission":
        return "permission_missing";
      case "a grant of another class":
        return "decision_class_not_granted";
      default:
        return "allowed";
    }
  }
  if (caller === "a viewer") return "permission_missing";
  if (caller === "an operator" && type === "approve_ceo_strategy") return "permission_missing";
  return "allowed";
};

const table = approvalTypes.flatMap((type) =>
  stored.flatMap((status) =>
    (Object.keys(callers) as CallerName[]).flatMap((caller) =>
      (Object.keys(grants) as GrantName[]).map((grant) => [type, status, caller, grant] as const),
    ),
  ),
);

describe("Authority", () => {
  test.each(table)(
    "over a %s that is %s, of %s with %s, follows the ruling",
    (type, status, caller, grant) => {
      const report = evaluateAuthority(facts(type, caller, grant, { status }));
      const ruled = expected(type, status, caller, grant);
      expect(report.refusal?.code ?? "allowed").toBe(ruled);
      expect(report.allowed).toBe(ruled === "allowed");
    },
  );

  test.each(table)(
    "over a %s that is %s, of %s with %s, is checked in one order up to the first refusal",
    (type, status, caller, grant) => {
      const { checks, allowed } = evaluateAuthority(facts(type, caller, grant, { status }));
      expect(checks.map(({ name }) => name)).toEqual(checkNames);
      const results = checks.map(({ result }) => result);
      const refused = results.indexOf("refused");
      expect(refused === -1).toBe(allowed);
      if (refused !== -1) {
        expect(new Set(results.slice(refused + 1))).toEqual(
          new Set(refused === results.length - 1 ? [] : ["not_reached"]),
        );
        expect(results.slice(0, refused)).not.toContain("not_reached");
      } else expect(results).not.toContain("not_reached");
    },
  );

  test("of people does not depend on the requester or the class", () => {
    const { checks, acceptedProof, grant } = evaluateAuthority(facts("ownership_decision", "an owner"));
    const results = Object.fromEntries(checks.map(({ name, result }) => [name, result]));
    expect(results).toMatchObject({ not_requester: "not_applicable", declared_class: "not_applicable" });
    expect({ acceptedProof, grant }).toEqual({ acceptedProof: "board_member", grant: null });
    expect(evaluateAuthority(facts("ownership_decision", "an admin")).acceptedProof).toBe("instance_admin");
    const without = evaluateAuthority(facts("ownership_decision", "another agent"));
    expect({ proof: without.acceptedProof, refused: without.refusal?.code }).toEqual({
      proof: null,
      refused: "permission_missing",
    });
  });

  test("shows the grant by which an agent may decide, and its grantor", () => {
    const report = evaluateAuthority(facts("ownership_decision", "another agent", "grants of everything"));
    expect(report).toMatchObject({
      allowed: true,
      acceptedProof: "agent_grant",
      grant: {
        id: id(0x92),
        permission: "ownership:decide",
        classes: ["tooling"],
        grantedBy: owner,
      },
    });
  });

  test("is never an agent's if the payload declares no class", () => {
    for (const payload of [{}, { class: "" }, { class: 7 }])
      expect(
        evaluateAuthority(facts("ownership_decision", "another agent", "the right grant", { payload })),
      ).toMatchObject({ allowed: false, refusal: { code: "decision_class_not_declared" } });
  });

  test.each([
    ["approve", null, null, "ownership_decision_requires_chosen_owner"],
    ["approve", "Ada", null, null],
    ["approve", "Eve", null, "ownership_decision_requires_off_list_reason"],
    ["approve", "Eve", "Knows it best.", null],
    ["reject", null, null, null],
    ["reject", "Ada", null, "chosen_owner_not_asked"],
    ["request-revision", null, null, null],
    ["request-revision", null, "Because.", "chosen_owner_not_asked"],
  ] as const)(
    "to %s an ownership decision for %s (off the list because: %s): %s",
    (decision, chosenOwner, offListReason, code) => {
      const asked = { decision, chosenOwner, offListReason };
      const report = evaluateAuthority(facts("ownership_decision", "an owner", "no grant", {}, asked));
      expect(report.refusal?.code ?? null).toBe(code);
    },
  );

  test("is checked before the choice of an owner", () => {
    const asked = { decision: "approve", chosenOwner: null, offListReason: null } as const;
    expect(
      evaluateAuthority(facts("ownership_decision", "a viewer", "no grant", {}, asked)).refusal?.code,
    ).toBe("permission_missing");
  });

  test.each(
    approvalTypes
      .filter((type) => type !== "ownership_decision")
      .flatMap((type) => decisions.map((d) => [type, d] as const)),
  )("takes no chosen owner for a %s, to %s", (type, decision) => {
    const asked = { decision, chosenOwner: "Ada", offListReason: null };
    expect(evaluateAuthority(facts(type, "an owner", "no grant", {}, asked)).refusal?.code).toBe(
      "chosen_owner_not_asked",
    );
  });

  test.each(approvalTypes)("says the policy of a %s", (type) => {
    const { policy, approveRequiresChosenOwner } = evaluateAuthority(facts(type, "a viewer"));
    expect(approveRequiresChosenOwner).toBe(type === "ownership_decision");
    expect(policy.protection).toBe(type === "ownership_decision" ? "standard" : "protected");
    expect(policy.accepts.includes("agent_grant")).toBe(type === "ownership_decision");
    expect(policy.serviceRequiresDeclaredClass).toBe(type === "ownership_decision");
  });
});
