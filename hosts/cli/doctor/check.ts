import type { connect } from "../connection/connect.ts";

/** One check of `boardroom doctor` and its result. */
export interface Check {
  readonly level: "ok" | "warn" | "fail";
  readonly check: string;
  readonly message: string;
  readonly hint?: string;
}

/** The service's answer about its own health. */
export type Health = Awaited<ReturnType<ReturnType<typeof connect>["system"]["health"]>>;
