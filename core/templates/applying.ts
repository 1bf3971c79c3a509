import type { AdapterRegistry } from "../../ports/adapter-registry.ts";
import type { Calendar } from "../../ports/calendar.ts";
import type { Runners } from "../../ports/runners.ts";
import type { SecretCipher } from "../../ports/secret-cipher.ts";
import type { SkillCatalogue } from "../../ports/skill-catalogue.ts";
import type { WebhookSigning } from "../../ports/webhook-signing.ts";
import type { UseCaseContext } from "../access/unit-of-work.ts";
import type { Actor } from "../model/access/caller.ts";
import type { CompanyId } from "../model/shared/ids.ts";
import type { TemplateIds } from "../model/templates/describe-company.ts";

/** The parts of the use cases that a template is applied by. */
export interface TemplateContext extends UseCaseContext {
  readonly adapters: AdapterRegistry;
  readonly runners: Runners;
  readonly calendar: Calendar;
  readonly cipher: SecretCipher;
  readonly signing: WebhookSigning;
  readonly catalogue: SkillCatalogue;
}

/** Ids by key, which grow as records are made. */
export type GrowingIds = {
  readonly [List in keyof TemplateIds]: TemplateIds[List] extends ReadonlyMap<string, infer Id>
    ? Map<string, Id>
    : never;
};

/** A part of a declaration in its transaction. */
export interface Applying {
  /** Its transactor is the declaration's transaction. */
  readonly context: TemplateContext;
  readonly companyId: CompanyId;
  readonly by: Actor;
  readonly prune: boolean;
  readonly ids: GrowingIds;
}

/** Returns the id of a record that a field names; null and undefined stay. Keys were checked before. */
export const idOf = <Id extends string>(
  ids: ReadonlyMap<string, Id>,
  key: string | null | undefined,
): Id | null | undefined => (typeof key === "string" ? (ids.get(key) as Id) : key);
