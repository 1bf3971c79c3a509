import { refusal } from "../shared/failure.ts";
import type { CompanyId } from "../shared/ids.ts";
import { atLeast, type Role } from "./roles.ts";

/** The role that a group of a provider gives in a company; null: in every company that is not archived. */
export interface RoleOfGroup {
  readonly group: string;
  readonly issuePrefix: string | null;
  readonly role: Role;
}

/** An OpenID provider with which people sign in. */
export interface SignInProvider {
  readonly id: string;
  /** As people read it. */
  readonly name: string;
  /** Empty: it gives no roles, and takes none away. */
  readonly roles: readonly RoleOfGroup[];
}

/** The person who has signed in at a provider, as its verified answer says. */
export interface ProvedIdentity {
  readonly provider: SignInProvider;
  readonly issuer: string;
  readonly subject: string;
  /** In lower case; null: the provider names none, or has not verified it. */
  readonly verifiedEmail: string | null;
  readonly groups: readonly string[];
}

/** A sign-in with a provider must be finished within this time. */
export const providerFlowSec = 10 * 60;

/** A session that began at a provider ends then: the person proves themselves there again. */
export const providerSessionSec = 12 * 60 * 60;

/** How long a provider's answer about a person's groups counts. */
export const groupsValidSec = 15 * 60;

interface PrefixedCompany {
  readonly id: CompanyId;
  readonly issuePrefix: string;
}

/** The roles that groups give in each company, the strongest of each. */
export const rolesOfGroups = (
  roles: readonly RoleOfGroup[],
  groups: readonly string[],
  companies: readonly PrefixedCompany[],
): ReadonlyMap<CompanyId, Role> => {
  const given = new Map<CompanyId, Role>();
  for (const { group, issuePrefix, role } of roles) {
    if (!groups.includes(group)) continue;
    for (const { id, issuePrefix: own } of companies)
      if ((issuePrefix === null || issuePrefix === own) && !atLeast(given.get(id) ?? null, role))
        given.set(id, role);
  }
  return given;
};

export class SignInProviderNotFound extends refusal(
  "sign_in_provider_not_found",
  "not_found",
  "Sign-in provider not found.",
) {}

export class SignInProviderUnavailable extends refusal(
  "sign_in_provider_unavailable",
  "upstream_unavailable",
  "The sign-in provider does not answer. Try again in a moment.",
) {}

export class SignInAnswerNotValid extends refusal(
  "sign_in_answer_not_valid",
  "unauthenticated",
  "The provider's answer could not be verified. Start the sign-in again.",
) {}

export class PersonNotInvited extends refusal(
  "person_not_invited",
  "unauthenticated",
  "Nobody has been invited under an email address that your provider has verified. Ask an owner to invite you with that address.",
) {}
