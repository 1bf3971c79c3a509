/** What was looked at, and what was found. */
export interface Check {
  readonly level: "ok" | "warn" | "fail";
  readonly check: string;
  readonly message: string;
  readonly hint?: string;
}
