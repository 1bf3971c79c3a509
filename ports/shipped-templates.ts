import type * as Effect from "effect/Effect";
import type { DeclaredTemplate } from "../core/model/templates/company-template.ts";

/** A template that comes with the service. */
export interface ShippedTemplate {
  /** Also the name of its folder. */
  readonly key: string;
  readonly template: DeclaredTemplate;
}

export interface ShippedTemplates {
  /** By key. */
  list(): Effect.Effect<readonly ShippedTemplate[]>;
}
