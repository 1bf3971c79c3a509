import { type Caller, roleIn, Unauthenticated } from "../access/caller.ts";
import type { Role } from "../access/roles.ts";
import { refusal } from "../shared/failure.ts";
import type { GrantId, UserId } from "../shared/ids.ts";
import { type Approval, ApprovalNotFound, ApprovalNotPending, type ApprovalType } from "./approval.ts";
import type { Decision } from "./approval-status.ts";
import type { Grant, Permission } from "./grant.ts";

/** The proof by which a caller decides: a board role, instance administration, or a grant. */
export const proofs = ["board_member", "instance_admin", "agent_grant"] as const;
export type Proof = (typeof proofs)[number];

export interface AuthorityPolicy {
  /** protected: only people decide. */
  readonly protection: "standard" | "protected";
  readonly accepts: readonly Proof[];
  readonly requiredPermission: Permission;
  /** An agent decides only approvals that declare a class, and only classes that its grant names. */
  readonly serviceRequiresDeclaredClass: boolean;
}

const byPeople = {
  protection: "protected",
  accepts: ["board_member", "instance_admin"],
  serviceRequiresDeclaredClass: false,
} as const;

const policies: Readonly<Record<ApprovalType, AuthorityPolicy>> = {
  hire_agent: { ...byPeople, requiredPermission: "agents:hire" },
  approve_ceo_strategy: { ...byPeople, requiredPermission: "strategy:decide" },
  ownership_decision: {
    protection: "standard",
    accepts: ["board_member", "instance_admin", "agent_grant"],
    requiredPermission: "ownership:decide",
    serviceRequiresDeclaredClass: true,
  },
};

/** Returns the permission that deciding approvals of a type requires. */
export const permissionFor = (type: ApprovalType): Permission => policies[type].requiredPermission;

/** The permissions of each role. */
export const permissionsOf: Readonly<Record<Role, readonly Permission[]>> = {
  owner: ["agents:hire", "strategy:decide", "ownership:decide"],
  operator: ["agents:hire", "ownership:decide"],
  viewer: [],
};

export class OwnRequest extends refusal(
  "own_request",
  "forbidden",
  "Agents can't decide their own requests.",
) {}

export class ProofNotAccepted extends refusal(
  "proof_not_accepted",
  "forbidden",
  "Only people can decide approvals of this type.",
) {}

export class PermissionMissing extends refusal(
  "permission_missing",
  "forbidden",
  "You don't have the permission this type of approval requires.",
) {}

export class ClassNotDeclared extends refusal(
  "decision_class_not_declared",
  "forbidden",
  "The payload doesn't declare a decision class, so no grant covers it.",
) {}

export class ClassNotGranted extends refusal(
  "decision_class_not_granted",
  "forbidden",
  "Your grant doesn't cover this decision class.",
) {}

export class ChosenOwnerRequired extends refusal(
  "ownership_decision_requires_chosen_owner",
  "invalid",
  "Choose an owner to approve an ownership decision.",
) {}

export class OffListReasonRequired extends refusal(
  "ownership_decision_requires_off_list_reason",
  "invalid",
  "The chosen owner isn't one of the candidates. Explain why in offListReason.",
) {}

export class ChosenOwnerNotAsked extends refusal(
  "chosen_owner_not_asked",
  "invalid",
  "A chosen owner is allowed only when you approve an ownership decision.",
) {}

export type AuthorityRefusal =
  | ApprovalNotFound
  | ApprovalNotPending
  | Unauthenticated
  | OwnRequest
  | ProofNotAccepted
  | PermissionMissing
  | ClassNotDeclared
  | ClassNotGranted
  | ChosenOwnerRequired
  | OffListReasonRequired
  | ChosenOwnerNotAsked;

/** In the order of evaluation. */
export const checkNames = [
  "company_access",
  "approval_pending",
  "caller_identified",
  "not_requester",
  "proof_accepted",
  "permission_held",
  "declared_class",
  "chosen_owner",
] as const;
export type CheckName = (typeof checkNames)[number];

export interface Check {
  readonly name: CheckName;
  readonly result: "passed" | "refused" | "not_reached" | "not_applicable";
  readonly detail?: string;
}

export interface AuthorityFacts {
  readonly approval: Pick<Approval, "companyId" | "type" | "status" | "requestedByAgentId"> & {
    readonly payload: object;
  };
  readonly caller: Caller;
  /** The caller's grants that are not revoked, where it is an agent. */
  readonly grants: readonly Pick<Grant, "id" | "permission" | "classes" | "grantedByUserId">[];
  /** The intended decision; null to ask without one. */
  readonly asked: {
    readonly decision: Decision;
    readonly chosenOwner: string | null;
    readonly offListReason: string | null;
  } | null;
}

export interface Authority {
  readonly policy: AuthorityPolicy;
  readonly allowed: boolean;
  readonly acceptedProof: Proof | null;
  readonly grant: {
    readonly id: GrantId;
    readonly permission: Permission;
    readonly classes: readonly string[];
    readonly grantedBy: UserId;
  } | null;
  readonly refusal: AuthorityRefusal | null;
  readonly checks: readonly Check[];
  readonly approveRequiresChosenOwner: boolean;
}

type Finding = { readonly passed: true; readonly detail?: string } | "not_applicable" | AuthorityRefusal;

/**
 * Evaluates whether the caller may decide the approval; approve, reject, request-revision and the report use it. It
 * changes nothing. The first refused check ends it; a check that does not concern the type or the caller is not
 * applicable.
 */
export const evaluateAuthority = (facts: AuthorityFacts): Authority => {
  const { approval } = facts;
  const policy = policies[approval.type];
  const proof = proofOf(facts);
  const grant = grantFor(facts, policy);
  const findings: Readonly<Record<CheckName, () => Finding>> = {
    company_access: () => (hasAccess(facts) ? passed() : new ApprovalNotFound()),
    approval_pending: () =>
      approval.status === "pending" ? passed() : new ApprovalNotPending({ status: approval.status }),
    caller_identified: () =>
      facts.caller.kind === "anyone" ? new Unauthenticated() : passed(facts.caller.kind),
    not_requester: () => notRequester(facts),
    proof_accepted: () =>
      proof !== null && policy.accepts.includes(proof) ? passed(proof) : new ProofNotAccepted(),
    permission_held: () =>
      holdsPermission(facts, policy)
        ? passed(policy.requiredPermission)
        : new PermissionMissing({ permission: policy.requiredPermission }),
    declared_class: () => declaredClass(facts, policy, grant),
    chosen_owner: () => chosenOwner(facts),
  };
  const checks: Check[] = [];
  let refused: AuthorityRefusal | null = null;
  for (const name of checkNames) {
    if (refused !== null) {
      checks.push({ name, result: "not_reached" });
      continue;
    }
    const finding = findings[name]();
    if (finding === "not_applicable") checks.push({ name, result: "not_applicable" });
    else if ("passed" in finding)
      checks.push({
        name,
        result: "passed",
        ...(finding.detail === undefined ? {} : { detail: finding.detail }),
      });
    else {
      refused = finding;
      checks.push({ name, result: "refused", detail: finding.code });
    }
  }
  const accepted = checks.some(({ name, result }) => name === "proof_accepted" && result === "passed");
  return {
    policy,
    allowed: refused === null,
    // Being an agent gives no authority; a grant does.
    acceptedProof: accepted && !(proof === "agent_grant" && grant === null) ? proof : null,
    grant:
      grant === null || !accepted
        ? null
        : {
            id: grant.id,
            permission: grant.permission,
            classes: grant.classes,
            grantedBy: grant.grantedByUserId,
          },
    refusal: refused,
    checks,
    approveRequiresChosenOwner: approval.type === "ownership_decision",
  };
};

const passed = (detail?: string): Finding =>
  detail === undefined ? { passed: true } : { passed: true, detail };

const hasAccess = ({ approval, caller }: AuthorityFacts): boolean => {
  switch (caller.kind) {
    case "board":
      return caller.admin || caller.roles.has(approval.companyId);
    case "agent":
      return caller.companyId === approval.companyId;
    case "anyone":
      // An anonymous caller is refused further down.
      return true;
  }
};

const notRequester = ({ approval, caller }: AuthorityFacts): Finding =>
  caller.kind !== "agent"
    ? "not_applicable"
    : approval.requestedByAgentId === caller.agentId
      ? new OwnRequest()
      : passed();

const proofOf = ({ approval, caller }: AuthorityFacts): Proof | null => {
  switch (caller.kind) {
    case "board":
      return caller.roles.has(approval.companyId) && !caller.admin ? "board_member" : "instance_admin";
    case "agent":
      return "agent_grant";
    case "anyone":
      return null;
  }
};

/** Whether board users of that role may decide what requires the permission. */
const roleHolds = (role: Role | null, permission: Permission): boolean =>
  role !== null && permissionsOf[role].includes(permission);

const holdsPermission = ({ approval, caller, grants }: AuthorityFacts, policy: AuthorityPolicy): boolean => {
  switch (caller.kind) {
    case "board": {
      return roleHolds(roleIn(caller, approval.companyId), policy.requiredPermission);
    }
    case "agent":
      return grants.some(({ permission }) => permission === policy.requiredPermission);
    case "anyone":
      return false;
  }
};

/** Returns the grant that covers the declared class, else the first of the permission. */
const grantFor = ({ approval, caller, grants }: AuthorityFacts, policy: AuthorityPolicy) => {
  if (caller.kind !== "agent") return null;
  const matching = grants.filter(({ permission }) => permission === policy.requiredPermission);
  return matching.find(({ classes }) => classes.includes(classOf(approval) ?? "")) ?? matching[0] ?? null;
};

const classOf = ({ payload }: AuthorityFacts["approval"]): string | null =>
  "class" in payload && typeof payload.class === "string" && payload.class !== "" ? payload.class : null;

const declaredClass = (
  { approval, caller }: AuthorityFacts,
  policy: AuthorityPolicy,
  grant: Pick<Grant, "classes"> | null,
): Finding => {
  if (caller.kind !== "agent" || !policy.serviceRequiresDeclaredClass) return "not_applicable";
  const declared = classOf(approval);
  if (declared === null) return new ClassNotDeclared();
  return grant?.classes.includes(declared) ? passed(declared) : new ClassNotGranted({ class: declared });
};

const chosenOwner = ({ approval, asked }: AuthorityFacts): Finding => {
  if (asked === null) return "not_applicable";
  const { decision, offListReason } = asked;
  const owner = asked.chosenOwner;
  if (decision !== "approve" || approval.type !== "ownership_decision")
    return owner === null && offListReason === null ? "not_applicable" : new ChosenOwnerNotAsked();
  if (owner === null) return new ChosenOwnerRequired({ path: ["chosenOwner"] });
  const candidates = "candidateOwners" in approval.payload ? approval.payload.candidateOwners : undefined;
  const onList = !Array.isArray(candidates) || candidates.includes(owner);
  return onList || offListReason !== null
    ? passed(owner)
    : new OffListReasonRequired({ path: ["offListReason"], candidateOwners: candidates });
};
