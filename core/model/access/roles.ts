/** The roles of a board user in a company, weakest first. */
export const roles = ["viewer", "operator", "owner"] as const;
export type Role = (typeof roles)[number];

/** viewer reads; operator works; owner also decides on money, members and the company itself. */
export const atLeast = (role: Role | null, needed: Role): boolean =>
  role !== null && roles.indexOf(role) >= roles.indexOf(needed);
