import type { Media } from "../../api/endpoint/endpoint.ts";
import type { PathParam } from "../../api/endpoint/params.ts";
import type { ShapeName } from "../nouns/shapes.ts";
import type { Field } from "./flags.ts";

/** The data of a command that calls an endpoint; plain data, so that a build can write it as a table. */
export interface EndpointCommand {
  /** `issues.checkout`. */
  readonly name: string;
  readonly group: string;
  readonly action: string;
  readonly summary: string;
  readonly description: string | null;
  /** The parameters of its path, in order. */
  readonly params: readonly { readonly name: PathParam; readonly help: string }[];
  readonly fields: readonly Field[];
  /** Its query has a companyId: a urlKey of an agent needs its company. */
  readonly takesCompany: boolean;
  /** It takes an Idempotency-Key. */
  readonly creates: boolean;
  readonly media: Media;
  /** The answer is a list of rows. */
  readonly isList: boolean;
  /** The shape of the answer or of its rows; null: it has no printer of its own. */
  readonly shape: ShapeName | null;
}
