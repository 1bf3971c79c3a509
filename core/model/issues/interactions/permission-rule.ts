import type { RequestPermission } from "./payload.ts";

/** A request that is allowed without a question: the same tool with the same command, at the same place. */
export interface PermissionRule {
  readonly tool: string;
  readonly command: string;
  readonly path: string | null;
}

/** For how long the answer to a request holds: until the run ends, or for the agent until it is revoked. */
export const permissionScopes = ["run", "agent"] as const;
export type PermissionScope = (typeof permissionScopes)[number];

/** The longest command that a rule has. */
export const maxRuleCommand = 2_000;
/** How many rules an agent has at most. */
export const maxRules = 100;

type Requested = Pick<RequestPermission, "tool" | "command" | "path" | "diff" | "repeatable">;

/**
 * The rule that would allow the same again; null where only once is possible: what people see is not exactly what the program asked,
 * or it changes files, whose content is another one each time.
 */
export const ruleOf = ({ tool, command, path, diff, repeatable }: Requested): PermissionRule | null =>
  repeatable !== true || command === null || diff !== null || command.length > maxRuleCommand
    ? null
    : { tool, command, path };

const isSame = (one: PermissionRule, other: PermissionRule): boolean =>
  one.tool === other.tool && one.command === other.command && one.path === other.path;

export const isAllowedBy = (rules: readonly PermissionRule[], request: Requested): boolean => {
  const rule = ruleOf(request);
  return rule !== null && rules.some((each) => isSame(each, rule));
};

/** The rules with another one, which they have once. */
export const withRule = (
  rules: readonly PermissionRule[],
  rule: PermissionRule,
): readonly PermissionRule[] => (rules.some((each) => isSame(each, rule)) ? rules : [...rules, rule]);
