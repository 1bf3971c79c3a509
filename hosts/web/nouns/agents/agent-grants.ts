import type { Client } from "../../../library/client.ts";

type Grant = Awaited<ReturnType<Client["grants"]["list"]>>[number];
type Wanted = NonNullable<NonNullable<Parameters<Client["agents"]["create"]>[0]>["grants"]>;

/** The grants of an agent, while they are edited. */
export interface GrantsDraft {
  /** Classes of ownership decisions, with commas between. */
  readonly decides: string;
  /** Repositories into which it merges: their ids, or `all`. */
  readonly mergesInto: readonly string[];
}

export const allRepositories = "all";

/** The texts between commas. */
export const listedIn = (text: string): string[] => text.split(",").flatMap((each) => each.trim() || []);

/** The permission of a grant, in words after the name of the agent. */
export const grantText = ({ permission, classes }: Pick<Grant, "permission" | "classes">): string => {
  if (permission === "ownership:decide") return `can decide ownership for ${classes.join(", ")}`;
  if (permission !== "code:merge") return `can decide ${permission} for ${classes.join(", ")}`;
  if (classes.includes(allRepositories)) return "can merge into all repositories";
  return classes.length === 1
    ? "can merge into one repository"
    : `can merge into ${classes.length} repositories`;
};

/** The grants of an agent, among those of its company. */
export const grantsOf = (grants: readonly Grant[], agentId: string | null): GrantsDraft => {
  const classesOf = (permission: Grant["permission"]) => [
    ...new Set(
      grants
        .filter((grant) => grant.agentId === agentId && grant.revokedAt === null)
        .filter((grant) => grant.permission === permission)
        .flatMap(({ classes }) => classes),
    ),
  ];
  return { decides: classesOf("ownership:decide").join(", "), mergesInto: classesOf("code:merge") };
};

/** The grants as the interface takes them. */
export const sentGrants = ({ decides, mergesInto }: GrantsDraft): Wanted => {
  const wanted: Wanted = [
    { permission: "ownership:decide", classes: listedIn(decides) },
    { permission: "code:merge", classes: [...mergesInto] },
  ];
  return wanted.filter(({ classes }) => classes.length > 0);
};
