import type { Runner } from "../../ports/runners.ts";

/** The result of a template: a runner, or a sentence with the reason for its absence. */
export type OpenedRunner = { readonly runner: Runner } | { readonly problem: string };
