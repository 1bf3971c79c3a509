import * as Effect from "effect/Effect";
import type { AdapterRegistry } from "../../ports/adapter-registry.ts";
import type { Clock } from "../../ports/clock.ts";
import type { InboxViews } from "../../ports/views/inbox-views.ts";
import type { PageRequest } from "../../ports/views/page.ts";
import type { BoardCaller } from "../access/caller.ts";
import type { CompanyId } from "../shared/ids.ts";
import type { Instant } from "../shared/instant.ts";
import { describeEntry, type InboxFact, inboxScope } from "./inbox-entry.ts";

export interface ShowInbox {
  readonly caller: BoardCaller;
  /** null: all companies of the caller, and the instance for its admins. */
  readonly companyId: CompanyId | null;
}

/** Returns the caller's entries, oldest first; entries of the whole instance come first. */
export const showInbox =
  (views: InboxViews, adapters: AdapterRegistry, clock: Clock) =>
  ({ caller, companyId, ...page }: ShowInbox & PageRequest) =>
    Effect.map(views.list(inboxScope(caller, companyId, clock.now()), page), ({ items, next }) => ({
      items: [
        ...(page.cursor === undefined ? ofInstance(adapters, caller, companyId, clock.now()) : []),
        ...items,
      ].map(describeEntry),
      next,
    }));

/** Counts the caller's entries by company; null is the instance. Companies without entries are left out. */
export const countInbox =
  (views: InboxViews, adapters: AdapterRegistry, clock: Clock) =>
  ({ caller, companyId }: ShowInbox) =>
    Effect.map(views.counts(inboxScope(caller, companyId, clock.now())), (counts) => {
      const instance = ofInstance(adapters, caller, companyId, clock.now()).length;
      return instance === 0 ? counts : [{ companyId: null, waiting: instance }, ...counts];
    });

/** A failed adapter stops every agent of its type. */
const ofInstance = (
  adapters: AdapterRegistry,
  caller: BoardCaller,
  companyId: CompanyId | null,
  at: Instant,
): readonly InboxFact[] =>
  !caller.admin || companyId !== null
    ? []
    : adapters
        .known()
        .filter(({ status }) => status === "failed")
        .map(({ type, packageName, localPath, problem }) => {
          const name = type ?? packageName ?? localPath ?? "unknown";
          return {
            id: `failed_adapter:${name}`,
            kind: "failed_adapter",
            companyId: null,
            companyName: null,
            subjectType: "adapter",
            subjectId: name,
            title: name,
            issueId: null,
            issueIdentifier: null,
            issueTitle: null,
            agentId: null,
            agentName: null,
            detail: { error: problem },
            waitingSince: at,
            version: "",
          };
        });
