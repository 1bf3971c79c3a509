/** One check of `boardroom doctor` and its result. */
export interface Check {
  readonly level: "ok" | "warn" | "fail";
  readonly check: string;
  readonly message: string;
  readonly hint?: string;
}
