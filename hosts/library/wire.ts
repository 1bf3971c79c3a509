import type { Media, Method } from "../api/endpoint/endpoint.ts";
import type { Api } from "../api/index.ts";

/** The data that a client needs to call an endpoint; plain data, so that a build can write it as a table. */
export interface WireEndpoint {
  readonly method: Method;
  /** With the names of its parameters in braces. */
  readonly path: string;
  /** Names of the query's fields. */
  readonly query: readonly string[];
  /** null: it takes no body. */
  readonly body: "json" | "form" | null;
  readonly media: Media;
}

/** The published interface as a client sees it, by group and action. */
export type Wire = {
  readonly [Group in keyof Api]: { readonly [Action in keyof Api[Group]]: WireEndpoint };
};
